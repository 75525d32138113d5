import ErrandCore
import ErrandCurl
import ErrandServing
import Foundation
import Testing

@testable import ErrandTesting

@Suite("TLS on the libcurl transport", .timeLimit(.minutes(1)))
struct CurlTLSTests {
  let nginx: Nginx

  init() async throws { nginx = try await Nginx() }

  private func client(_ configure: (inout CurlConfiguration) -> Void = { _ in }) -> Client {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = nginx.certificates.authority
    configure(&curl)
    var configuration = ClientConfiguration()
    configuration.retry = .never
    return Client(transport: CurlTransport(configuration: curl), configuration: configuration)
  }

  private func failure(_ client: Client, _ url: String) async -> RequestError? {
    await #expect(throws: RequestError.self) { try await client.send(.post(url, .text("secret"))) }
  }

  @Test("a certificate of the given authority is trusted, by name and by address")
  func good() async throws {
    for host in ["localhost", "127.0.0.1"] {
      let response = try await client().send(.get(nginx.url("good", host: host)))
      #expect(response.text == "hello")
      #expect(response.timing.tls != nil)
    }
  }

  @Test("the system's authorities do not vouch for a certificate of an unknown authority")
  func systemAuthorities() async throws {
    let error = await failure(client { $0.certificateAuthorityFile = nil }, nginx.url("good"))
    #expect(error?.code == .untrustedCertificate)
  }

  @Test(
    "a certificate that is expired, for another host, or of an unknown authority is not trusted",
    arguments: ["expired", "wrong-host", "unknown"])
  func untrusted(_ certificate: String) async throws {
    let error = await failure(client(), nginx.url(certificate))
    #expect(error?.code == .untrustedCertificate)
    #expect(error?.reachedServer == false)
    let said = error?.description ?? ""
    // "host name" or "hostname", depending on libcurl's version.
    let reason = ["expired": "expired", "wrong-host": "target host", "unknown": "issuer"][certificate]!
    #expect(said.contains(reason), "the error does not say why: \(said)")
  }

  @Test("a pinned key is required in addition to a trusted certificate, and one of several is enough")
  func pins() async throws {
    let good = try await nginx.certificates.pin(of: "good")
    let other = try await nginx.certificates.pin(of: "unknown")
    let response = try await client { $0.tls.pins = ["localhost": [other, good]] }.send(
      .get(nginx.url("good")))
    #expect(response.text == "hello")
    let mismatch = await failure(client { $0.tls.pins = ["localhost": [other]] }, nginx.url("good"))
    #expect(mismatch?.code == .pinMismatch)
    #expect(mismatch?.reachedServer == false)
    let untrusted = await failure(client { $0.tls.pins = ["localhost": [other]] }, nginx.url("unknown"))
    #expect(untrusted?.code == .untrustedCertificate)
  }

  @Test("a missing file of authorities is an error that says so")
  func missingAuthorities() async throws {
    let error = await failure(
      client { $0.certificateAuthorityFile = "/nonexistent/ca.pem" }, nginx.url("good"))
    #expect(error?.code == .fileUnreadable)
    #expect(error?.description.contains("/nonexistent/ca.pem") == true)
  }

  @Test("HTTP/2 is negotiated, and its requests share one connection", .speaksHTTP2)
  func http2() async throws {
    let client = client()
    let first = try await client.send(.get(nginx.url("good")))
    #expect(first.timing.httpVersion == .http2)
    let url = nginx.url("good")
    let connections = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<50 { group.addTask { try await client.send(.get(url)).fields["X-Connection"] } }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(connections == [first.fields["X-Connection"]])
  }

  @Test("HTTP/2 requests that start together on a new client share one connection, too", .speaksHTTP2)
  func http2Together() async throws {
    let client = client()
    let url = nginx.url("good")
    let connections = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try await client.send(.get(url)).fields["X-Connection"] } }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(connections.count == 1)
  }

  @Test(
    "a cancelled HTTP/2 request is reset at once, even if others on its connection are silent", .speaksHTTP2)
  func resetBesideOthers() async throws {
    let server = try MockServer()
    server.otherwise { _ in .stall }
    let nginx = try await Nginx(behind: server.port)
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = nginx.certificates.authority
    let client = Client(transport: CurlTransport(configuration: configuration))
    client.limits = .unlimited
    try await client.send(.get(nginx.url("good")))
    let tasks = (0..<5).map { _ in
      Task { try await client.send(.get(nginx.url("good", "/behind")).timeout(.seconds(50)).bestEffort()) }
    }
    try await server.waitForRequests(5)
    tasks[2].cancel()
    try await server.waitForOpenConnections(4)
    for task in tasks { task.cancel() }
    try await server.waitForOpenConnections(0)
    for task in tasks { _ = await task.result }
  }

  @Test("HTTP/1.1 is used if configured")
  func http1() async throws {
    let response = try await client().send(.get(nginx.url("good")).httpVersion(.http1))
    #expect(response.timing.httpVersion == .http11)
  }

  @Test("a redirect from https to http is refused")
  func downgrade() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await client().send(.get(nginx.url("good", "/down")))
    }
    #expect(error?.code == .redirectRefused)
  }

  @Test("a server without TLS causes a TLS failure")
  func plainServer() async throws {
    let server = try MockServer()
    let error = await failure(client(), "https://127.0.0.1:\(server.port)/")
    #expect(error?.code == .tlsFailed)
    #expect(error?.reachedServer == false)
  }

  @Test("a handshake without a response times out, and nothing was sent")
  func stalledHandshake() async throws {
    // The system completes the connection, and no process accepts it.
    let listener = try Socket.make()
    try Socket.bind(listener, port: 0)
    #expect(listen(listener, 5) == 0)
    defer { close(listener) }
    let error = await #expect(throws: RequestError.self) {
      try await client().send(
        .post("https://127.0.0.1:\(Socket.port(of: listener))/", .text("x")).timeout(.milliseconds(400)))
    }
    #expect(error?.code == .timedOut)
    #expect(error?.reachedServer == false)
  }
}
