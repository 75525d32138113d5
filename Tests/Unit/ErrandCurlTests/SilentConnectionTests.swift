#if os(Linux)
  import ErrandCore
  import ErrandCurl
  import Foundation
  import Testing

  @Suite("Silent connections of HTTP/2", .speaksHTTP2, .timeLimit(.minutes(1))) struct SilentConnectionTests {
    private func client(_ server: Nghttpd) -> Client {
      var curl = CurlConfiguration()
      curl.certificateAuthorityFile = server.authority
      return Client(transport: CurlTransport(configuration: curl))
    }

    @Test func `an attempt after a time-out uses another connection, and other requests keep theirs`()
      async throws
    {
      let server = try await Nghttpd(files: ["small": 1000], tls: true)
      try await server.wait(for: "listen")
      let relay = try FreezingRelay(to: server.port)
      defer { relay.stop() }
      let client = client(server)
      let url = "https://127.0.0.1:\(relay.port)/small"
      #expect(try await client.send(.get(url)).timing.httpVersion == .http2)

      // A quiet request, like a long poll: the time-out of another request does not end it.
      let (chunks, source) = AsyncStream<Data>.makeStream()
      source.yield(Data(count: 100))
      let quiet = Task { try await client.send(.post(url, .stream(chunks))) }
      try await server.wait(for: "recv DATA frame")
      relay.freeze()

      let late = try await client.send(.get(url).timeout(.milliseconds(500)).attempts(2))
      #expect(late.timing.attempts == 2)
      #expect(late.data.count == 1000)
      for _ in 0..<3 {
        let next = try await client.send(.get(url).timeout(.seconds(5)).bestEffort())
        #expect(next.timing.httpVersion == .http2)
        #expect(next.timing.connectionReused == true)
      }
      quiet.cancel()
      let error = await #expect(throws: RequestError.self) { try await quiet.value }
      #expect(error?.cancellation == .taskCancelled)
      source.finish()
      await client.shutdown()
    }

    /// More connections than the transport can distinguish by TLS's options.
    @Test func `no request is sent on a silent connection again, however many there are`() async throws {
      let server = try await Nghttpd(files: ["small": 1000], tls: true)
      try await server.wait(for: "listen")
      let relay = try FreezingRelay(to: server.port)
      defer { relay.stop() }
      let client = client(server)
      client.limits = .unlimited
      let url = "https://127.0.0.1:\(relay.port)/small"
      var quiet: [(Call, AsyncStream<Data>.Continuation)] = []
      for round in 0..<20 {
        let (chunks, source) = AsyncStream<Data>.makeStream()
        source.yield(Data(count: 100))
        let uploads = server.count(of: "recv DATA frame")
        quiet.append((client.start(.post(url, .stream(chunks)).timeout(.seconds(50))), source))
        try await server.wait(for: "recv DATA frame", count: uploads + 1)
        relay.freeze()
        let late = try await client.send(.get(url).timeout(.milliseconds(300)).attempts(2))
        // Later each request gets a connection that no other request has had.
        #expect(late.timing.attempts == (round < 16 ? 2 : 1), "\(round)")
        let next = try await client.send(.get(url).timeout(.seconds(5)).bestEffort())
        #expect(next.data.count == 1000)
      }
      for (call, source) in quiet {
        call.cancel()
        source.finish()
      }
      await client.shutdown()
    }
  }
#endif
