#if Postgres
  import Testing

  @testable import ErrandOutboxPostgres

  @Suite struct ConnectionRequestTests {
    private func request(_ url: String) throws -> ConnectionRequest {
      ConnectionRequest(url: try PostgresURL(url))
    }

    private func value(_ name: String, _ request: ConnectionRequest) -> String? {
      request.parameters.last { $0.name == name }?.value
    }

    @Test func `the session's options follow those of the URL`() throws {
      let own = try #require(value("options", try request("postgres://h/d?options=-c%20geqo%3Doff")))
      #expect(own.hasPrefix("-c geqo=off -c search_path=pg_catalog,pg_temp "))
      #expect(own.contains("default_transaction_isolation=read\\ committed"))
    }

    @Test func `a pooler that refuses options gets none`() throws {
      var request = try request("postgres://h/d")
      let refusal = PostgresFailure(
        connecting: "connection to server failed: FATAL:  08P01: unsupported startup parameter: options")
      #expect(refusal.passes)
      request.failed(refusal)
      #expect(value("options", request) == nil)
    }

    @Test func `a silent host is tried last, and each host keeps its port`() throws {
      var request = try request("postgres://a:1,b:2,c:3/d")
      request.failed(PostgresFailure(.unreachable, "refused"))
      #expect(value("host", request) == "a,b,c")
      request.failed(PostgresFailure(.unreachable, isSilence: true, "no answer"))
      #expect(value("host", request) == "b,c,a" && value("port", request) == "2,3,1")
      for _ in 0..<2 { request.failed(PostgresFailure(.unreachable, isSilence: true, "no answer")) }
      #expect(value("host", request) == "a,b,c")
    }

    @Test(arguments: [
      ("", 10), ("?connect_timeout=3", 3), ("?connect_timeout=0", 10), ("?connect_timeout=x", 10),
    ])
    func `connecting takes at most the time that the URL allows`(_ query: String, _ seconds: Int) throws {
      #expect(try PostgresURL("postgres://h/d\(query)").connectTimeout == .seconds(seconds))
    }
  }
#endif
