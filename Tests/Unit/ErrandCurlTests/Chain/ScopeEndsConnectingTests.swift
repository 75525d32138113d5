#if os(Linux)
  import ErrandCore
  import ErrandCurl
  import Testing

  @testable import ErrandConformance
  @testable import ErrandTesting

  @Suite(.timeLimit(.minutes(1))) struct ScopeEndsConnectingTests {
    @Test func `a request stops connecting when its scope ends`() async throws {
      let hole = try #require(try BlackHole.silent())
      let others = try SocketTable.locals(to: hole.port, .synSent)
      let client = Client(transport: CurlTransport())
      let scope = RequestScope("page")
      let call = client.start(.get("http://127.0.0.1:\(hole.port)/").timeout(.seconds(50)), in: scope)
      try await reach { try !SocketTable.locals(to: hole.port, .synSent).isSubset(of: others) }
      scope.end()
      let error = await call.error
      #expect(error?.cancellation == .scopeEnded("page"))
      try await reach { try SocketTable.locals(to: hole.port, .synSent).isSubset(of: others) }
    }
  }
#endif
