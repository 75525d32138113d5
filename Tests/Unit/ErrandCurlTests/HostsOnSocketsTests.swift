#if os(Linux)
  import ErrandTesting
  import Foundation
  import Testing

  @testable import ErrandCore
  @testable import ErrandCurl

  /// The host that a server is sent, for all spellings, in the locale `C` of the tests.
  @Suite(.timeLimit(.minutes(1))) struct HostsOnSocketsTests {
    private let server: MockServer

    init() throws {
      server = try MockServer()
      server.otherwise { _ in .response(body: "here") }
    }

    private func client(_ change: (inout CurlConfiguration) -> Void = { _ in }) -> Client {
      var curl = CurlConfiguration()
      curl.proxy = .none
      change(&curl)
      return Client(transport: CurlTransport(configuration: curl))
    }

    @Test(arguments: [
      "b\u{FC}cher.example", "B\u{DC}CHER\u{3002}Example", "b%C3%BCcher.example", "xn--bcher-kva.example",
    ])
    func `an international name is sent and looked up with A-labels`(name: String) async throws {
      let override = CurlConfiguration.HostOverride(
        host: "B\u{DC}cher.example", port: server.port, address: "127.0.0.1")
      let client = client { $0.hostOverrides = [override] }
      let response = try await client.send(.get("http://\(name):\(server.port)/"))
      #expect(response.text == "here")
      #expect(response.url.absoluteString == "http://xn--bcher-kva.example:\(server.port)/")
      #expect(server.requests.map { $0.fields["Host"] } == ["xn--bcher-kva.example:\(server.port)"])
    }

    @Test func `a redirect and a base URL may have international names`() async throws {
      let port = server.port
      server.on("/moved") { _ in
        .response(status: 302, fields: ["Location": "http://fa\u{DF}.example:\(port)/b/../x"])
      }
      var curl = CurlConfiguration()
      curl.proxy = .none
      curl.hostOverrides = ["xn--bcher-kva.example", "fa\u{DF}.example"].map {
        CurlConfiguration.HostOverride(host: $0, port: port, address: "127.0.0.1")
      }
      var configuration = ClientConfiguration()
      configuration.baseURL = URL(string: "http://b\u{FC}cher.example:\(port)/")
      let client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
      #expect(try await client.send(.get("moved")).text == "here")
      let hosts = ["xn--bcher-kva.example", "xn--fa-hia.example"].map { "\($0):\(port)" }
      #expect(server.requests.map { $0.fields["Host"] ?? "" } == hosts)
      #expect(server.requests.last?.path == "/x")
    }

    @Test(arguments: ["127.1", "0x7f.1", "2130706433", "127.0.0.01", "\u{FF11}\u{FF12}\u{FF17}.1"])
    func `a numeric host is sent as its address`(host: String) async throws {
      let response = try await client().send(.get("http://\(host):\(server.port)/"))
      #expect(response.url.host() == "127.0.0.1")
      #expect(server.requests.map { $0.fields["Host"] } == ["127.0.0.1:\(server.port)"])
    }

    @Test(arguments: [
      ("http://[::1]:81/x", "[::1]:81"), ("http://[0:0::1]/x", "[::1]"),
      ("http://[fe80::1%25lo]/x", "[fe80::1]"),
      ("http://[FE80::1%25lo]:81/x", "[fe80::1]:81"), ("http://127.1/x", "127.0.0.1"),
      ("http://b\u{FC}cher.example/x", "xn--bcher-kva.example"),
    ])
    func `a proxy is sent the same form of the host as a server`(url: String, host: String) async throws {
      let proxy = try RawProxy { _ in .response("200 OK", body: "by proxy") }
      defer { proxy.stop() }
      let client = client { $0.proxy = .url("http://127.0.0.1:\(proxy.port)") }
      func check() async throws {
        #expect(try await client.send(.get(url)).text == "by proxy")
        #expect(proxy.asked.map { $0.field("Host") } == [host])
        #expect(proxy.asked.map(\.target) == ["http://\(host)/x"])
      }
      // libcurl 8 sends the zone of an IPv6 address, or cannot connect to one.
      if !CurlTransport.libraries.hasPrefix("libcurl/7."), url.contains("[") {
        await withKnownIssue(isIntermittent: true) { try await check() }
      } else {
        try await check()
      }
    }

    @Test func `a tunnel is requested with the form of the host that a server is sent`() async throws {
      let proxy = try RawProxy { _ in .response("502 No") }
      defer { proxy.stop() }
      let client = client { $0.proxy = .url("http://127.0.0.1:\(proxy.port)") }
      for host in ["[fe80::1%25lo]", "b\u{FC}cher.example"] {
        await #expect(throws: RequestError.self) {
          try await client.send(.get("https://\(host)/x").attempts(1))
        }
      }
      let hosts = ["[fe80::1]:443", "xn--bcher-kva.example:443"]
      #expect(proxy.asked.map(\.target) == hosts)
      #expect(proxy.asked.map { $0.field("Host") } == hosts)
    }

    @Test func `the proxy and the hosts without one may have international names`() throws {
      let variables = [
        "http_proxy": "http://ann:s%C3%BC@b\u{FC}cher.example:3128/", "https_proxy": "b\u{FC}cher.example:1",
        "no_proxy": "localhost, .fa\u{DF}.de,\u{FC}.com",
      ]
      let found = ProxyEnvironment { variables[$0] }
      #expect(found.http == "http://ann:s%C3%BC@xn--bcher-kva.example:3128/")
      #expect(found.https == "xn--bcher-kva.example:1")
      #expect(found.exceptions == "localhost, .xn--fa-hia.de,xn--tda.com")
    }
  }
#endif
