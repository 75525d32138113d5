import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The bytes that a server sent before it closed the connection, and that libcurl has not read. libcurl stops
/// reading after it fails to send. Without these bytes, the early refusal of an upload would be lost. Pure.
struct UnreadResponse {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  /// Removes and returns the next line, including its end; nil if no whole line is left.
  mutating func takeLine() -> UnsafeRawBufferPointer? {
    guard let end = rest.firstIndex(of: 10) else { return nil }
    let line = UnsafeRawBufferPointer(rebasing: rest[...end])
    rest = rest[(end + 1)...]
    return line
  }

  /// Returns the bytes after the lines that were taken, at most `count`.
  func body(atMost count: Int64?) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: count.map { rest.prefix(Int(clamping: $0)) } ?? rest)
  }
}

extension UnreadResponse {
  /// The most bytes that are read. An early response is short.
  private static let mostBytes = 256 << 10

  /// Returns the unread bytes of a socket that is about to be closed.
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
