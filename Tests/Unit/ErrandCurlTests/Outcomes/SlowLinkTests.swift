#if os(Linux)
  import ErrandCore
  import ErrandCurl
  import Foundation
  import Testing

  /// An upload over a slow link is not silent while the system still sends buffered bytes.
  @Suite(.timeLimit(.minutes(1))) struct SlowLinkTests {
    /// A server that reads a piece of the upload each 20 ms, and then responds, or stops after a part.
    private static func script(_ course: String) -> String {
      """
      import socket, time
      listener = socket.socket()
      listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
      listener.bind(("127.0.0.1", 0))
      listener.listen()
      print(listener.getsockname()[1], flush=True)
      client = listener.accept()[0]
      data = b""
      while b"\\r\\n\\r\\n" not in data: data += client.recv(1024)
      left = 1000000 - len(data.partition(b"\\r\\n\\r\\n")[2])
      while left > ("\(course)" == "stops") * 500000:
          left -= len(client.recv(min(left, 16384)))
          time.sleep(0.02)
      if "\(course)" == "stops": time.sleep(60)
      client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
      client.recv(1)
      """
    }

    private func upload(_ server: PythonServer) -> Request {
      .post(server.url, .bytes(Data(count: 1_000_000))).timeout(.milliseconds(400)).bestEffort()
    }

    @Test func `an upload continues while its bytes leave the system`() async throws {
      let server = try await PythonServer(Self.script("reads"))
      #expect(try await Client(transport: CurlTransport()).send(upload(server)).text == "ok")
    }

    @Test func `an upload ends when its bytes no longer leave the system`() async throws {
      let server = try await PythonServer(Self.script("stops"))
      let error = await #expect(throws: RequestError.self) {
        try await Client(transport: CurlTransport()).send(upload(server))
      }
      #expect(error?.code == .timedOut)
    }
  }
#endif
