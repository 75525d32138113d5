import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a server sent before it closed the connection, and libcurl has not read: once it has failed to send more of a request,
/// it reads no more. Without it an early refusal of an upload would be lost where the server closes at once. Pure.
struct UnreadResponse {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  /// Takes the next line, with its end; nil if there is none.
  mutating func takeLine() -> UnsafeRawBufferPointer? {
    guard let end = rest.firstIndex(of: 10) else { return nil }
    let line = UnsafeRawBufferPointer(rebasing: rest[...end])
    rest = rest[(end + 1)...]
    return line
  }

  /// Takes bytes of a body that is not chunked.
  mutating func takeBytes(atMost count: Int64?) -> UnsafeRawBufferPointer {
    let taken = count.map { rest.prefix(Int(clamping: $0)) } ?? rest
    rest = rest[taken.endIndex...]
    return UnsafeRawBufferPointer(rebasing: taken)
  }

  /// Takes the next chunk; an empty one is the last. Nil if it is not whole, or malformed.
  mutating func takeChunk() -> UnsafeRawBufferPointer? {
    guard let line = takeLine() else { return nil }
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 13 && $0 != 10 && $0 != 32 }
    guard let length = Int(String(decoding: digits, as: UTF8.self), radix: 16), length >= 0 else {
      return nil
    }
    if length == 0 { return UnsafeRawBufferPointer(rebasing: rest.prefix(0)) }
    guard length <= rest.count else { return nil }
    let chunk = takeBytes(atMost: Int64(length))
    guard let end = takeLine(), end.allSatisfy({ $0 == 13 || $0 == 10 }) else { return nil }
    return chunk
  }
}

extension UnreadResponse {
  /// The most bytes that are read: an early response is short.
  private static let mostBytes = 256 << 10

  /// Returns what is left in a socket that is about to be closed.
  static func read(from socket: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < mostBytes {
      let count = recv(socket, &room, room.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
