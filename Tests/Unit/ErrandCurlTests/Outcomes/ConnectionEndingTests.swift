import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCurl

#if canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The outcome of a request on a reused connection that ended without a response.
@Suite(.timeLimit(.minutes(1))) struct ConnectionEndingTests {
  private func ending(_ kind: ConnectionEnding.Kind, _ unacknowledged: UInt64) -> ConnectionEnding {
    ConnectionEnding(kind: kind, unacknowledged: unacknowledged)
  }

  @Test func `a request was not read if the connection closed before any byte of it was acknowledged`() {
    let broken = "Send failure: \(String(cString: strerror(EPIPE)))"
    #expect(ending(.closed, 300).precedesRequest(of: 100, 200, error: ""))
    #expect(ending(.reset, 300).precedesRequest(of: 100, 200, error: broken))
    // TLS sends more bytes than it is given.
    #expect(ending(.closed, 358).precedesRequest(of: 100, 200, error: ""))
  }

  @Test func `a request may have been read if any byte of it was acknowledged`() {
    for kind in [ConnectionEnding.Kind.closed, .reset, .unknown] {
      #expect(!ending(kind, 299).precedesRequest(of: 100, 200, error: ""))
      #expect(!ending(kind, 99).mayPrecedeRequest(of: 100, 200))
      #expect(!ending(kind, 0).mayPrecedeRequest(of: 0, 0))
      // With several records of TLS the count is not exact.
      #expect(!ending(kind, 1 << 20).mayPrecedeRequest(of: 100, 16 << 10 + 1))
    }
    #expect(!ending(.unknown, 300).mayPrecedeRequest(of: 100, 200))
  }

  @Test func `a reset alone does not prove that a request was not read`() {
    let reset = "Recv failure: \(String(cString: strerror(ECONNRESET)))"
    #expect(!ending(.reset, 300).precedesRequest(of: 100, 200, error: reset))
    #expect(!ending(.reset, 300).precedesRequest(of: 100, 200, error: ""))
    #expect(ending(.reset, 300).mayPrecedeRequest(of: 100, 200))
  }

  #if os(Linux)
    /// Responds to each request, then closes the connection without notice. Later bytes are not read. The response and
    /// the end leave in one segment (TCP_CORK). Otherwise, on a busy machine, the next request may arrive between them:
    /// it is acknowledged and never read, which no client can know.
    private static let silent = """
      import socket, threading
      listener = socket.create_server(("127.0.0.1", 0), backlog=64)
      print(listener.getsockname()[1], flush=True)
      def serve(client):
          data = b""
          while b"\\r\\n\\r\\n" not in data:
              more = client.recv(65536)
              if not more: return client.close()
              data += more
          head, _, body = data.partition(b"\\r\\n\\r\\n")
          length = sum(int(line.split(b":")[1]) for line in head.split(b"\\r\\n") if line.lower().startswith(b"content-length:"))
          while len(body) < length: body += client.recv(65536)
          client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
          client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
          client.close()
      while True:
          threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
      """

    @Test func `a server that closes after each response loses no repeatable request`() async throws {
      let server = try await PythonServer(Self.silent)
      let client = Client(transport: CurlTransport())
      for number in 0..<200 {
        let request = Request.put(server.url, .text("\(number)")).bestEffort()
        #expect(try await client.send(request).text == "ok")
        let keyed = Request.post(server.url, .text("\(number)")).idempotencyKey("\(number)").bestEffort()
        #expect(try await client.send(keyed).text == "ok")
      }
    }
  #endif
}
