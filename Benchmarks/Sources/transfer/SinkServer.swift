import BenchmarkSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A server that reads and discards a request's body with a `Content-Length`, and responds with 200. It is
/// faster than servers that write to a disk, so that the client limits the rate.
// This is safe to share, because it does not change.
final class SinkServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init() throws {
    let open = try Listener(backlog: 16)
    (listener, port) = (open.descriptor, open.port)
  }

  func start() {
    Self.inThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Self.inThread {
          let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 512 << 10, alignment: 16)
          while Self.respondToOne(connection, buffer) {}
          buffer.deallocate()
          close(connection)
        }
      }
    }
  }

  private static func respondToOne(_ connection: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var head = ""
    var rest = 0
    while true {
      let count = recv(connection, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return false }
      let text = String(decoding: buffer.prefix(count), as: UTF8.self)
      // The body begins after the empty line. Only its length matters.
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
