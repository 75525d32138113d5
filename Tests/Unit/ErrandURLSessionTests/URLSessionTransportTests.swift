import ErrandAuthentication
import ErrandCore
import ErrandTesting
import ErrandURLSession
import Foundation
import Testing

@Suite("The transport on URLSession", .timeLimit(.minutes(1)))
struct URLSessionTransportTests {
  private let server: MockServer

  init() throws { server = try MockServer() }

  private func client(_ configure: (inout URLSessionTransportConfiguration) -> Void = { _ in }) -> Client {
    var configuration = URLSessionTransportConfiguration()
    configure(&configuration)
    return Client(transport: URLSessionTransport(configuration: configuration))
  }

  private func code(_ client: Client, _ request: Request) async -> RequestError.Code? {
    do {
      _ = try await client.send(request)
      return nil
    } catch {
      return (error as? RequestError)?.code
    }
  }

  /// FoundationNetworking crashes the process when a task is cancelled while another thread learns of its
  /// end.
  @Test("may give up a response at any instant", arguments: 0..<4)
  func givesUp(_ share: Int) async throws {
    server.on("/") { _ in .response(body: Data(count: 20_000_000)) }
    for _ in 0..<15 {
      let client = client()
      #expect(await code(client, .get(server.url).memoryLimit(1_000_000)) == .bodyTooLarge)
    }
  }

  @Test("refuses requests that URLSession would send differently, and sends nothing")
  func refusals() async throws {
    let client = client()
    let secure = "https://127.0.0.1:\(server.port)/"
    #expect(await code(client, Request(.get, server.url, body: .text("x"))) == .unsupported)
    #expect(await code(client, Request(.head, server.url, body: .text("x"))) == .unsupported)
    #expect(await code(client, .get(server.url).httpVersion(.http2)) == .unsupported)
    #expect(await code(client, .get(secure).httpVersion(.http1)) == .unsupported)
    #expect(server.requests.isEmpty)
  }

  @Test("does not send a POST twice when a reused connection turns out to be closed")
  func noDoublePost() async throws {
    server.on("GET", "/") { _ in .response(body: "kept") }
    server.on("POST", "/") { _ in .close }
    let client = client()
    _ = try await client.send(.get(server.url("/")))
    let request = Request.post(server.url("/"), .text("once")).bestEffort()
    #expect(await code(client, request) == .connectionLost)
    #expect(server.requests.count { $0.method == .post } == 1)
  }

  @Test("sends a stream of chunks completely, from memory and from a file", arguments: [16 << 20, 1024])
  func streamedBody(memoryLimit: Int) async throws {
    server.on("PUT", "/") { .response(body: "\($0.body.count) \($0.body.last ?? 0)") }
    let client = client { $0.uploadMemoryLimit = memoryLimit }
    let chunks = AsyncStream { continuation in
      for number in 0..<100 { continuation.yield(Data(repeating: UInt8(number), count: 10_000)) }
      continuation.finish()
    }
    let response = try await client.send(.put(server.url("/"), .stream(chunks)))
    #expect(response.text == "1000000 99")
  }

  @Test("treats half a second as half a second")
  func shortTimeout() async throws {
    server.on("/") { _ in .stall }
    server.on("/late") { _ in .response(body: "late").pausing(.milliseconds(300)) }
    let client = client()
    #expect(try await client.send(.get(server.url("/late")).timeout(.seconds(20))).text == "late")
    let began = ContinuousClock.now
    #expect(await code(client, .get(server.url("/")).timeout(.milliseconds(500)).bestEffort()) == .timedOut)
    #expect(ContinuousClock.now - began >= .milliseconds(500))
  }

  @Test("closes the connection when the request is cancelled")
  func cancelling() async throws {
    server.on("/") { _ in .stall }
    let client = client()
    let task = Task { try await client.send(.get(server.url("/"))) }
    try await server.waitForRequests(1)
    task.cancel()
    let error = try await #require(throws: RequestError.self) { try await task.value }
    #expect(error.code == .cancelled)
    try await server.waitForOpenConnections(0)
  }

  @Test("leaves redirects to Errand: a body is kept, a credential stays at its origin")
  func redirects() async throws {
    let other = try MockServer()
    other.otherwise { .response(body: "\($0.method) \($0.text) \($0.fields["Authorization"] ?? "-")") }
    server.on("POST", "/") { _ in .redirect(307, to: "\(other.url("/next"))") }
    let response = try await client().send(.post(server.url("/"), .text("body")).bearer("secret"))
    #expect(response.text == "POST body -")
  }

  @Test("accepts 401 as a response")
  func unauthorized() async throws {
    server.on("/") { _ in
      .response(status: 401, fields: ["WWW-Authenticate": "Basic realm=\"x\""], body: "who are you?")
    }
    let response = try await client().send(.get(server.url("/")).acceptingAnyStatus())
    #expect(response.status == 401)
    #expect(response.text == "who are you?")
  }

  #if canImport(FoundationNetworking)
    @Test("refuses a TLS configuration that URLSession would ignore on Linux")
    func tls() async throws {
      let settings: [(String, (inout TLSConfiguration) -> Void)] = [
        ("public keys", { $0.pins = ["127.0.0.1": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]] }),
        (
          "client certificate",
          { $0.clientCertificate = ClientCertificate(file: "me.p12", password: "s3cret") }
        ),
        ("lowest version", { $0.minimumVersion = .tls13 }),
      ]
      for (reason, set) in settings {
        var configuration = URLSessionTransportConfiguration()
        set(&configuration.tls)
        let transport = URLSessionTransport(configuration: configuration)
        let checked = #expect(throws: RequestError.self) { try transport.checkConfiguration() }
        #expect(
          checked?.message.contains(reason) == true && checked?.message.contains("CurlTransport") == true)
        #expect(await code(Client(transport: transport), .get(server.url)) == .invalidConfiguration)
      }
      #expect(server.requests.isEmpty)
      try URLSessionTransport().checkConfiguration()
    }
  #endif

  @Test("finds its challenge among several lines of WWW-Authenticate, in any order")
  func severalChallenges() async throws {
    let digest = "Digest realm=\"a, b\", nonce=\"n\", qop=\"auth,auth-int\", algorithm=SHA-256"
    let others = ["Negotiate", "NTLM TlRMTVNTUAABAAAA==", "Basic realm=\"x, Digest y\", charset=\"UTF-8\""]
    for place in 0...others.count {
      let server = try MockServer()
      server.otherwise { request in
        if let given = request.fields["Authorization"] { return .response(body: given) }
        var fields = HTTPFields()
        var lines = others
        lines.insert(digest, at: place)
        for line in lines { fields.append("WWW-Authenticate", line) }
        return .response(status: 401, fields: fields)
      }
      var configuration = ClientConfiguration()
      configuration.baseURL = server.url
      configuration.authentication = .digest(user: "ann", password: "s3cret")
      let client = Client(transport: URLSessionTransport(), configuration: configuration)
      let text = try await client.send(.get(server.url("/"))).text
      #expect(text.hasPrefix("Digest username=\"ann\", realm=\"a, b\", nonce=\"n\""), "\(place): \(text)")
    }
  }

  @Test("reports a truncated response")
  func cutShort() async throws {
    server.on("/") { _ in .response(body: "only this").announcing(length: 100).closingConnection() }
    #expect(await code(client(), .get(server.url("/")).bestEffort()) == .connectionLost)
  }

  @Test("fails after it is shut down, and fails requests in flight")
  func shutdown() async throws {
    server.on("/") { _ in .stall }
    let transport = URLSessionTransport()
    let client = Client(transport: transport)
    let task = Task { try await client.send(.get(server.url("/")).bestEffort()) }
    try await server.waitForRequests(1)
    await transport.shutdown()
    let error = try await #require(throws: RequestError.self) { try await task.value }
    #expect(error.code == .connectionLost)
    #expect(await code(client, .get(server.url("/")).bestEffort()) == .cannotConnect)
  }

  #if canImport(FoundationNetworking)
    @Test("fails instead of buffering an endless response for a slow consumer")
    func slowConsumer() async throws {
      // The rest never arrives, so that only the failure ends the stream.
      server.on("/") { _ in .response(body: Data(count: 30 << 20)).announcing(length: 40 << 20) }
      let client = client { $0.responseBufferLimit = 2 << 20 }
      let response = try await client.stream(.get(server.url("/")))
      let chunks = response.chunks
      // Nothing is consumed before the stream has failed.
      try await server.wait(for: "the connection to be closed") { record in
        record.connections.contains { !$0.isOpen }
      }
      let error = await #expect(throws: RequestError.self) { for try await _ in chunks {} }
      #expect(error?.code == .unsupported)
    }
  #endif
}
