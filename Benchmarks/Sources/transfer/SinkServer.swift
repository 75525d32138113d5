#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads any request with a body of stated length to its end, throws it away and answers 200: faster than anything
/// that could write it to a disk, so that the client is what is measured.
// Safe to share: nothing in it changes.
final class SinkServer: Sendable {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  let port: UInt16
  private let listener: Int32

  init() throws {
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { [listener] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) | listen(listener, 16) | getsockname(listener, pointer, &length)
      }
    }
    guard code == 0 else { throw Failed(description: String(cString: strerror(errno))) }
    port = UInt16(bigEndian: address.sin_port)
  }

  func start() {
    Self.inThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Self.inThread {
          let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 512 << 10, alignment: 16)
          while Self.answerOne(connection, buffer) {}
          buffer.deallocate()
          close(connection)
        }
      }
    }
  }

  private static func answerOne(_ connection: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var head = ""
    var rest = 0
    while true {
      let count = recv(connection, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return false }
      let text = String(decoding: buffer.prefix(count), as: UTF8.self)
      // The body begins behind the empty line, and may be no text: only its length counts.
      let end = buffer.prefix(count).indices.first { at in
        at + 4 <= count && buffer[at] == 13 && buffer[at + 1] == 10 && buffer[at + 2] == 13
          && buffer[at + 3] == 10
      }
      head += text
      if let end {
        rest = count - end - 4
        break
      }
    }
    let lines = head.lowercased().split(whereSeparator: \.isNewline)
    let length = lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.filter(\.isNumber)) }
    guard var left = length else { return false }
    left -= rest
    if lines.contains(where: { $0.hasPrefix("expect:") && $0.contains("100-continue") }) {
      send(connection, "HTTP/1.1 100 Continue\r\n\r\n")
    }
    while left > 0 {
      let count = recv(connection, buffer.baseAddress, min(left, buffer.count), 0)
      guard count > 0 else { return false }
      left -= count
    }
    send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    return true
  }

  private static func send(_ connection: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = write(connection, bytes, bytes.count)
  }

  private static func inThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, box)
    #else
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
          return nil
        }, box)
    #endif
  }
}
