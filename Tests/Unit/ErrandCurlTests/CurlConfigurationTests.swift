import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCurl

@Suite("The configuration of the libcurl transport", .timeLimit(.minutes(1)))
struct CurlConfigurationTests {
  let server: MockServer

  init() throws {
    server = try MockServer()
    server.otherwise { .response(fields: ["Set-Cookie": "session=\($0.index); Path=/"], body: $0.target) }
  }

  private func client(_ configure: (inout CurlConfiguration) -> Void) -> Client {
    var curl = CurlConfiguration()
    configure(&curl)
    var configuration = ClientConfiguration()
    configuration.retry = .never
    return Client(transport: CurlTransport(configuration: curl), configuration: configuration)
  }

  @Test("an address from the configuration replaces the lookup, and the host keeps its name")
  func hostOverride() async throws {
    let client = client {
      $0.hostOverrides = [.init(host: "errand.invalid", port: server.port, address: "127.0.0.1")]
    }
    let response = try await client.send(.get("http://errand.invalid:\(server.port)/here"))
    #expect(response.text == "/here")
    #expect(server.requests[0].fields["Host"] == "errand.invalid:\(server.port)")
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get("http://other.invalid:\(server.port)/"))
    }
    #expect(error?.code == .cannotResolveHost)
  }

  @Test("a proxy receives the whole URL, and only its own password")
  func proxy() async throws {
    let client = client { $0.proxy = .url("http://user:pass@127.0.0.1:\(server.port)") }
    let response = try await client.send(.get("http://example.invalid/path?q=1"))
    #expect(response.text == "http://example.invalid/path?q=1")
    #expect(server.requests[0].fields["Host"] == "example.invalid")
    #expect(server.requests[0].fields["Proxy-Authorization"] == "Basic dXNlcjpwYXNz")
    #expect(server.requests[0].fields["Authorization"] == nil)
  }

  @Test("a proxy that refuses a tunnel, or is unreachable, is named in the error")
  func proxyFailures() async throws {
    server.on("CONNECT", "*") { _ in .response(status: 403) }
    let refused = await #expect(throws: RequestError.self) {
      try await client { $0.proxy = .url("http://127.0.0.1:\(server.port)") }
        .send(.post("https://example.invalid/", .text("x")))
    }
    #expect(refused?.code == .cannotConnect)
    #expect(refused?.reachedServer == false)
    #expect(server.requests[0].target == "example.invalid:443")
    let missing = await #expect(throws: RequestError.self) {
      try await client { $0.proxy = .url("http://127.0.0.1:9") }
        .send(.post("http://example.invalid/", .text("x")))
    }
    #expect(missing?.code == .cannotConnect)
    #expect(missing?.reachedServer == false)
  }

  @Test("the error for an invalid proxy URL does not show its password")
  func malformedProxy() async throws {
    for proxy in [
      "http://user:s3cret@[::1", "gopher://user:s3cret@127.0.0.1:1", "http://user:s3cret@h:99999999",
    ] {
      let error = try #require(
        await #expect(throws: RequestError.self) {
          try await client { $0.proxy = .url(proxy) }.send(.get("http://example.invalid/"))
        })
      var dumped = ""
      dump(error, to: &dumped)
      let all = "\(error) \(String(reflecting: error)) \(error.underlying.map { "\($0)" } ?? "") \(dumped)"
      #expect(!all.contains("s3cret"), "\(all)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test("the proxies of the environment are read like curl reads them")
  func environment() {
    func read(_ variables: [String: String]) -> [String?] {
      let found = ProxyEnvironment { variables[$0] }
      return [found.http, found.https, found.exceptions]
    }
    #expect(read([:]) == [nil, nil, nil])
    #expect(read(["HTTP_PROXY": "a", "HTTPS_PROXY": "b"]) == [nil, "b", nil])
    #expect(read(["http_proxy": "a", "https_proxy": "", "all_proxy": "c"]) == ["a", "c", nil])
    #expect(read(["ALL_PROXY": "c", "NO_PROXY": "d,e"]) == ["c", "c", "d,e"])
  }

  @Test(arguments: ["http_proxy", "https_proxy", "ALL_PROXY"])
  func `a proxy of the environment that libcurl would ignore is a problem`(name: String) {
    #expect(ProxyEnvironment { $0 == name ? "http://%00@h:1" : nil }.problem?.contains("environment") == true)
    #expect(ProxyEnvironment { $0 == name ? "http://a%20b:c@h:1" : nil }.problem == nil)
    #expect(ProxyEnvironment { _ in nil }.problem == nil)
  }

  @Test("cookies are kept if configured, and sent back only to their own host")
  func cookies() async throws {
    let client = client { $0.keepsCookies = true }
    _ = try await client.send(.get(server.url("/a")))
    _ = try await client.send(.get(server.url("/b")))
    _ = try await client.send(.get("http://localhost:\(server.port)/c"))
    #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "session=0", nil])
    await client.shutdown()
  }

  @Test("the cookies for one request's Host field are not sent with the next request")
  func cookiesOfNamedHost() async throws {
    let client = client { $0.keepsCookies = true }
    _ = try await client.send(.get(server.url("/a")))
    let other = Request.get("http://localhost:\(server.port)/b")
    _ = try await client.send(other.field("Host", "127.0.0.1:\(server.port)"))
    _ = try await client.send(other)
    #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "session=0", nil])
    await client.shutdown()
  }

  @Test("no more connections are opened to a host than allowed")
  func connectionLimit() async throws {
    let client = client { $0.maxConnectionsPerHost = 2 }
    server.on("/slow") { _ in MockResponse.response(body: "ok").pausing(.milliseconds(20)) }
    let url = server.url("/slow")
    try await withThrowingTaskGroup { group in
      for _ in 0..<12 { group.addTask { _ = try await client.send(.get(url)) } }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 12)
    #expect(server.connections.count == 2)
  }

  @Test("the limit of a response's fields can be set")
  func fieldLimit() async throws {
    let client = client { $0.maxFieldBytes = 1000 }
    server.on("/small") { _ in .response(fields: ["X": String(repeating: "a", count: 800)]) }
    server.on("/large") { _ in .response(fields: ["X": String(repeating: "a", count: 1000)]) }
    _ = try await client.send(.get(server.url("/small")))
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/large"))) }
    #expect(error?.code == .fieldsTooLarge)
  }
}
