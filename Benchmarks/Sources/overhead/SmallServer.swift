#if !BASELINE
  import BenchmarkSupport
  import Foundation

  /// A server that responds to every request with 100 bytes. It runs in the measuring process, not in the
  /// measured one.
  struct SmallServer {
    private static let response = Array(
      """
      HTTP/1.1 200 OK\r
      Server: small\r
      Date: Wed, 01 Jan 2025 00:00:00 GMT\r
      Content-Type: text/plain\r
      Content-Length: 100\r
      Connection: keep-alive\r
      \r
      \(String(repeating: "0123456789", count: 10))
      """.utf8)

    let port: Int

    init() throws {
      let listener = try Listener(backlog: 16)
      port = Int(listener.port)
      Thread.detachNewThread {
        while true {
          let socket = accept(listener.descriptor, nil, nil)
          guard socket >= 0 else { return }
          Thread.detachNewThread { Self.serve(socket) }
        }
      }
    }

    /// Treats each arrival as one request, because requests are small and come one at a time.
    private static func serve(_ socket: Int32) {
      var bytes = [UInt8](repeating: 0, count: 4096)
      while read(socket, &bytes, bytes.count) > 0 { _ = write(socket, response, response.count) }
      close(socket)
    }
  }
#endif
