import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import ErrandURLProtocol
import ErrandURLSession
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A URLSession with `ErrandURLProtocol`, over real sockets.
@Suite struct SessionTests {
  private let fixture: SessionFixture
  private var server: MockServer { fixture.server }
  private var client: Client { fixture.client }

  init() throws { fixture = try SessionFixture() }

  private func session(_ client: Client? = nil, outbox: Outbox? = nil) -> URLSession {
    fixture.session(client, outbox: outbox)
  }

  private func text(_ session: URLSession, _ request: URLRequest) async throws -> (String, HTTPURLResponse) {
    try await session.text(request)
  }

  @Test func `a response has its status, its fields and its body`() async throws {
    server.on("/") { _ in .response(status: 404, fields: ["X-A": "one"], body: "not here") }
    let (body, response) = try await text(session(), URLRequest(url: server.url("/")))
    #expect(body == "not here" && response.statusCode == 404)
    #expect(response.value(forHTTPHeaderField: "X-A") == "one")
    #expect(response.errandTiming?.contains("total;dur=") == true)
    #expect(server.requests[0].fields["User-Agent"]?.hasPrefix("Errand/") == true)
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [#"Basic realm="a""#, #"Digest realm="a", nonce="b""#, "Bearer", #"Bearer, Basic realm="a""#])
  func `a 401 that no delegate is asked about is the response`(challenge: String) async throws {
    server.on("/") { _ in .response(status: 401, fields: ["WWW-Authenticate": challenge], body: "no") }
    let (body, response) = try await text(session(), URLRequest(url: server.url("/")))
    #expect(body == "no" && response.statusCode == 401)
    #expect(response.url == server.url("/"))
    #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
    #expect(server.requests.count == 1)
  }

  @Test func `method, fields and body of a request are sent`() async throws {
    server.on("PUT", "/") { .response(body: $0.body) }
    var request = URLRequest(url: server.url("/"))
    request.httpMethod = "PUT"
    request.httpBody = Data("a body".utf8)
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    let (body, _) = try await text(session(), request)
    #expect(body == "a body")
    #expect(server.requests[0].fields["Content-Type"] == "text/plain")
  }

  @Test func `a streamed body of any length is sent`() async throws {
    server.otherwise { .response(body: "\($0.body.count)") }
    for length in [10, 3_000_000] {
      var request = URLRequest(url: server.url("/"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data(count: length))
      let (body, _) = try await text(session(), request)
      #expect(body == "\(length)")
    }
  }

  #if canImport(FoundationNetworking)
    @Test func `upload and download tasks are refused on Linux, instead of losing their bodies`() async throws
    {
      var request = URLRequest(url: server.url("/"))
      request.httpMethod = "POST"
      let session = session()
      let upload = await #expect(throws: URLError.self) {
        try await session.upload(for: request, from: Data(count: 1))
      }
      let download = await #expect(throws: URLError.self) { try await session.download(for: request) }
      #expect(upload?.code == .unsupportedURL && download?.code == .unsupportedURL)
      #expect(server.requests.isEmpty)
    }
  #endif

  @Test func `two requests that share are sent as one`() async throws {
    server.on("/") { _ in .response(body: "shared") }
    let session = session()
    let request = URLRequest(url: server.url("/")).errand { $0.shared(within: .seconds(30)) }
    let bodies = try await [text(session, request), text(session, request)].map(\.0)
    #expect(bodies == ["shared", "shared"])
    #expect(server.count("/") == 1)
    #expect(server.requests[0].fields["Errand-Additions"] == nil)
  }

  @Test func `options are applied in order, and those of a copy do not change the first`() async throws {
    server.otherwise { .response(body: $0.fields["X-A"] ?? "none") }
    let first = URLRequest(url: server.url("/")).errand { $0.field("X-A", "1") }
    let second = first.errand { $0.field("X-A", "2") }
    let session = session()
    #expect(try await text(session, first).0 == "1")
    #expect(try await text(session, second).0 == "2")
  }

  @Test func `a request is retried, and the session gets the last response`() async throws {
    server.script("/well", [.response(status: 503), .response(body: "well")])
    server.on("/ill") { _ in .response(status: 503, body: "still ill") }
    let session = session()
    #expect(try await text(session, URLRequest(url: server.url("/well"))).0 == "well")
    let (body, response) = try await text(session, URLRequest(url: server.url("/ill")))
    #expect(body == "still ill" && response.statusCode == 503)
    #expect(server.count("/well") == 2 && server.count("/ill") == 3)
  }

  @Test func `the session gets URLSession's errors`() async throws {
    server.on("/reset") { _ in .reset }
    let session = session()
    let request = URLRequest(url: server.url("/reset")).errand { $0.attempts(1) }
    let lost = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(lost?.code == .networkConnectionLost)
    let refused = await #expect(throws: URLError.self) {
      try await session.data(
        for: URLRequest(url: URL(string: "http://127.0.0.1:1/")!).errand { $0.attempts(1) })
    }
    #expect(refused?.code == .cannotConnectToHost)
  }

  @Test func `a task that is cancelled closes its connection`() async throws {
    server.on("/") { _ in .stall }
    let session = session()
    let task = Task { try await session.data(for: URLRequest(url: server.url("/"))) }
    try await server.waitForRequests(1)
    task.cancel()
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try await server.waitUntilClosed(connection: 1)
  }

  @Test func `redirects are followed`() async throws {
    server.on("/a") { _ in .redirect(302, to: "/b") }
    server.on("/b") { _ in .response(body: "b") }
    let (body, response) = try await text(session(), URLRequest(url: server.url("/a")))
    #expect(body == "b" && response.url?.path == "/b")
  }

  @Test func `a decompressed response does not mention its compression`() async throws {
    let gzip: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
    ]
    server.on("/") { _ in .response(fields: ["Content-Encoding": "gzip"], body: Data(gzip)) }
    let (body, response) = try await text(session(), URLRequest(url: server.url("/")))
    #expect(body == "hello")
    #expect(response.value(forHTTPHeaderField: "Content-Encoding") == nil)
  }

  @Test func `a session's requests use the client's credential, limits and listeners`() async throws {
    server.otherwise { .response(body: $0.fields["Authorization"] ?? "none") }
    let log = SeenURLs()
    var configuration = ClientConfiguration()
    configuration.authentication = .bearer("token", at: [server.url])
    configuration.limits = ConcurrencyLimits(total: 1)
    configuration.listeners = [log]
    let session = session(Client(transport: CurlTransport(), configuration: configuration))
    try await withThrowingTaskGroup { group in
      for number in 0..<5 {
        group.addTask { [fixture] in try await session.text(fixture.request("/\(number)")).0 }
      }
      for try await body in group { #expect(body == "Bearer token") }
    }
    #expect(log.started.withLock { $0 } == 5)
    // Sent one at a time, they used one connection.
    #expect(server.connections.count == 1)
  }

  @Test func `a status is retried if the client's policy contains it`() async throws {
    server.script("/", [.response(status: 409), .response(body: "second")])
    var configuration = ClientConfiguration()
    configuration.retry.statuses = [409]
    configuration.retry.backoff = .milliseconds(1)
    let client = Client(transport: CurlTransport(), configuration: configuration)
    #expect(try await text(session(client), fixture.request()).0 == "second")
  }

  @Test func `two sessions of one client share its requests`() async throws {
    server.on("/") { _ in .response(body: "shared") }
    let request = URLRequest(url: server.url("/")).errand { $0.shared(within: .seconds(30)) }
    let bodies = try await [text(session(), request), text(session(), request)].map(\.0)
    #expect(bodies == ["shared", "shared"] && server.count("/") == 1)
  }

  #if !canImport(FoundationNetworking)
    // Foundation on Linux does not pass them to a protocol.
    @Test func `the fields of a session's configuration are sent`() async throws {
      server.otherwise { .response(body: $0.fields["X-Session"] ?? "none") }
      #expect(try await text(fixture.session(fields: ["X-Session": "one"]), fixture.request()).0 == "one")
    }
  #endif

  @Test func `a request that ignores caches uses the network, and renews the cached response`() async throws {
    server.script("/", [.response(body: "1"), .response(body: "2")])
    let session = session()
    let cached = fixture.request().errand { $0.cached(as: "it") }
    var reloading = cached
    reloading.cachePolicy = .reloadIgnoringLocalCacheData
    var bodies: [String] = []
    for request in [cached, cached, reloading, cached] { bodies.append(try await text(session, request).0) }
    #expect(bodies == ["1", "1", "2", "2"])
  }

  @Test func `each client has a separate protocol class`() async throws {
    server.otherwise { .response(body: $0.fields["X-Client"] ?? "") }
    var sessions: [URLSession] = []
    for number in 1...3 {
      var configuration = ClientConfiguration()
      configuration.fields = ["X-Client": "\(number)"]
      sessions.append(session(Client(transport: CurlTransport(), configuration: configuration)))
    }
    for (number, session) in sessions.enumerated() {
      #expect(try await text(session, URLRequest(url: server.url("/"))).0 == "\(number + 1)")
    }
  }

  @Test func `a client that is installed twice has one class`() {
    let others = [
      ErrandURLProtocol.using(client), ErrandURLProtocol.using(Client(transport: CurlTransport())),
    ]
    let first = ObjectIdentifier(ErrandURLProtocol.using(client))
    #expect(others.map { ObjectIdentifier($0) == first } == [true, false])
  }

  @Test func `a client that is removed is released, and its sessions' requests fail without being sent`()
    async throws
  {
    server.otherwise { .response(body: $0.fields["X-Client"] ?? "none") }
    var configuration = ClientConfiguration()
    configuration.fields = ["X-Client": "removed"]
    var removed: Client? = Client(transport: CurlTransport(), configuration: configuration)
    weak let released = removed
    let (session, present) = (session(removed), session())
    #expect(try await text(session, fixture.request()).0 == "removed")

    try ErrandURLProtocol.stopUsing(#require(removed))
    removed = nil
    // The load of the first request may still be ending.
    while released != nil { await Task.yield() }
    let error = await #expect(throws: URLError.self) { try await session.data(for: fixture.request()) }
    #expect(error?.code == .resourceUnavailable)
    #expect(error?.localizedDescription.contains("stopUsing") == true)

    // The other clients are still installed, and the class of the removed one is not used for another.
    #expect(try await text(present, fixture.request()).0 == "none")
    #expect(try await text(self.session(Client(transport: CurlTransport())), fixture.request()).0 == "none")
    await #expect(throws: URLError.self) { try await session.data(for: fixture.request()) }
    #expect(server.requests.count == 3)
  }

  #if canImport(FoundationNetworking)
    // If this fails, one class can find the client of a session, and `BoundProtocol` can go.
    @Test func `a protocol on Linux sees nothing of its session but its class`() async throws {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [ProbeProtocol.self]
      configuration.httpAdditionalHeaders = ["X-Session": "one"]
      let request = try #require(
        (fixture.request() as NSURLRequest).mutableCopy() as? NSMutableURLRequest)
      URLProtocol.setProperty("one", forKey: ProbeProtocol.key, in: request)
      let data = try await URLSession(configuration: configuration).data(for: request as URLRequest).0
      #expect(String(decoding: data, as: UTF8.self) == "nothing")
    }
  #endif

  @Test func `a client on URLSession does not send through itself`() async throws {
    server.on("/") { _ in .response(body: "once") }
    let session = session(Client(transport: URLSessionTransport()))
    let protocolClass = try #require(session.configuration.protocolClasses?.first as? URLProtocol.Type)
    #expect(protocolClass.canInit(with: URLRequest(url: server.url("/"))))
    #expect(!ErrandURLProtocol.canInit(with: URLRequest(url: server.url("/"))))
    #expect(!protocolClass.canInit(with: URLRequest(url: URL(string: "ws://127.0.0.1/")!)))
    #expect(try await text(session, URLRequest(url: server.url("/"))).0 == "once")
    #expect(server.count("/") == 1)
  }

  @Test func `a request for the outbox is stored, and delivered with its key`() async throws {
    server.on("POST", "/") { _ in .response(body: "done") }
    let folder = try TemporaryFolder()
    let outbox = try await Outbox(at: folder.url, client: client)
    var request = URLRequest(url: server.url("/"))
    request.httpMethod = "POST"
    request.httpBody = Data("important".utf8)
    let (_, response) = try await text(session(outbox: outbox), request.errandOutbox(lane: "a"))
    #expect(response.statusCode == 202)
    let id = try #require(response.errandOutboxID)
    #expect(try await outbox.receipt(for: id)?.outcome().isDelivered == true)
    #expect(server.requests[0].body == Data("important".utf8))
    #expect(server.requests[0].fields.contains("Idempotency-Key"))
    await outbox.close()
  }
}

/// A protocol whose responses list what it can know of its session.
private final class ProbeProtocol: URLProtocol {
  static let key = "probe"

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let requests = [request, task?.originalRequest, task?.currentRequest].compactMap(\.self)
    var known = requests.flatMap { ($0.allHTTPHeaderFields ?? [:]).keys }
    known += requests.compactMap { Self.property(forKey: Self.key, in: $0) as? String }
    if task?.delegate != nil { known.append("delegate") }
    guard let url = request.url else { return }
    let text = known.isEmpty ? "nothing" : known.joined(separator: ", ")
    let response = URLResponse(
      url: url, mimeType: nil, expectedContentLength: text.utf8.count, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(text.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

private final class SeenURLs: EventListener {
  let started = Locked(0)

  func record(_ event: CallEvent) {
    if case .started = event.kind { started.withLock { $0 += 1 } }
  }
}

extension OutboxOutcome {
  fileprivate var isDelivered: Bool { if case .delivered = self { true } else { false } }
}
