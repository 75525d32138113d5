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

  /// Returns the bytes that no line has taken, as many as the body may have.
  func body(atMost count: Int64?) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: count.map { rest.prefix(Int(clamping: $0)) } ?? rest)
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
      let count = errand_receive(socket, &room, room.count)
      guard count > 0 else { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
