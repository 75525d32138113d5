import ErrandCore
import ErrandCurl
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct UnixSocketTests {
  /// A server on a Unix socket that closes each connection after three responses.
  private static let source = #"""
    import socket, threading
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("PATH")
    listener.listen(64)
    print(1, flush=True)

    def serve(client):
        for _ in range(3):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                piece = client.recv(1)
                if not piece: return client.close()
                head += piece
            body = head.split(b" ")[1]
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        client.close()

    while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """#

  private func client(_ path: String) -> Client {
    var configuration = CurlConfiguration()
    configuration.unixSocket = path
    configuration.proxy = .url("http://127.0.0.1:1")
    return Client(transport: CurlTransport(configuration: configuration))
  }

  @Test func `requests go to the socket, whatever their host is, on many connections`() async throws {
    let folder = try TemporaryFolder()
    let server = try await PythonServer(Self.source.replacingOccurrences(of: "PATH", with: folder.path("s")))
    defer { withExtendedLifetime(server) {} }
    let client = client(folder.path("s"))
    client.limits = .unlimited
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<90 {
        group.addTask {
          let path = "/\(number)"
          let response = try await client.send(.get("http://host-\(number % 3).test\(path)"))
          #expect(response.text == path)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `an error names the socket`() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await client("/nothing/here").send(Request.get("http://a.test/").retry(.never))
    }
    #expect(error?.code == .cannotConnect)
    #expect(error?.message == "no connection to the Unix socket /nothing/here")
  }

  @Test(arguments: ["", String(repeating: "a", count: 108), "a\0b"])
  func `a path that no socket can have is refused`(path: String) {
    var configuration = CurlConfiguration()
    configuration.unixSocket = path
    #expect(throws: RequestError.self) {
      try CurlTransport(configuration: configuration).checkConfiguration()
    }
  }
}
