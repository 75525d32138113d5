import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// A shared or cached response is only for the header fields that its caller sets: each field counts,
/// whatever its name.
@Suite(.timeLimit(.minutes(1))) struct FieldsKeepApartTests {
  private let server: MockServer
  private let client: Client

  init() throws {
    server = try MockServer()
    server.on("/me") { request in
      .response(body: "you are \(request.fields["X-Whose"] ?? "nobody") \(request.index)")
    }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.cache = MemoryResponseCache()
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  private func me(_ name: String, _ value: String) -> Request {
    Request.get(server.url("/me")).field("X-Whose", "me").field(name, value)
  }

  @Test(arguments: ["X-Whose", "X-Api-Key", "Accept", "X-Tenant"])
  func `a response is shared and cached only among the same header fields`(name: String) async throws {
    for key in [nil, "me"] as [RequestKey?] {
      let alice = try await client.send(me(name, "alice").shared(within: .seconds(60), key: key)).text
      #expect(try await client.send(me(name, "alice").shared(within: .seconds(60), key: key)).text == alice)
      #expect(try await client.send(me(name, "bob").shared(within: .seconds(60), key: key)).text != alice)
    }
    let alice = try await client.send(me(name, "alice").cached(as: "me")).text
    #expect(try await client.send(me(name, "alice").cached(as: "me")).text == alice)
    #expect(try await client.send(me(name, "bob").cached(as: "me")).text != alice)
  }

  @Test(arguments: [
    "User-Agent", "accept-encoding", "traceparent", "TraceState", "baggage", "X-Request-ID", "X-B3-SpanId",
  ])
  func `irrelevant header fields do not separate requests, unless they are secret or named`(name: String)
    async throws
  {
    let one = try await client.send(me(name, "1").shared(within: .seconds(60))).text
    #expect(try await client.send(me(name, "2").shared(within: .seconds(60))).text == one)
    let kept = try await client.send(me(name, "1").cached(as: "x")).text
    #expect(try await client.send(me(name, "2").cached(as: "x")).text == kept)
    let secret = Request.get(server.url("/me")).field(name, "3", isSecret: true).shared(within: .seconds(60))
    let other = Request.get(server.url("/me")).field(name, "4", isSecret: true).shared(within: .seconds(60))
    #expect(try await client.send(secret).text != client.send(other).text)
    let named = me(name, "5").shared(within: .seconds(60), fields: [name])
    #expect(try await client.send(named).text != one)
  }

  @Test func `a client's default header fields separate its cached responses from those of other clients`()
    async throws
  {
    let store = MemoryResponseCache()
    func client(_ key: String) -> Client {
      var configuration = ClientConfiguration()
      configuration.fields["X-Whose"] = key
      configuration.cache = store
      return Client(transport: CurlTransport(), configuration: configuration)
    }
    let request = Request.get(server.url("/me")).cached(as: "me")
    #expect(try await client("alice").send(request).text == "you are alice 0")
    #expect(try await client("bob").send(request).text == "you are bob 1")
    #expect(try await client("alice").send(request).text == "you are alice 0")
  }

  @Test func `another origin gets the header fields that are on the list, and no others`() async throws {
    let other = try MockServer()
    other.on("/there") { _ in .response(body: "there") }
    server.on("/away") { [url = other.url("/there")] _ in .redirect(307, to: "\(url)") }
    let request = Request.post(server.url("/away"), .text("body"))
      .field("X-Api-Key", "alice").field("X-Whose", "alice").field("X-Request-ID", "1").field(
        "Accept", "text/plain"
      )
      .field("If-Match", "\"1\"").field("Range", "bytes=0-").field("Accept-Language", "de", isSecret: true)
      .idempotencyKey("k").bearer("t")
    _ = try await client.send(request)
    let names = Set(try #require(other.requests.first).fields.map { $0.name.lowercased() })
    #expect(
      names == [
        "host", "user-agent", "accept", "accept-encoding", "if-match", "range", "idempotency-key",
        "content-type",
        "content-length",
      ])
  }

  @Test(arguments: ["no-store", "max-age=60, NO-STORE"])
  func `a no-store response is not cached, and removes the cached one`(directive: String) async throws {
    server.on("/news") { request in
      .response(fields: request.index == 0 ? [:] : ["Cache-Control": directive], body: "\(request.index)")
    }
    let news = Request.get(server.url("/news"))
    #expect(try await client.send(news.cached(as: "news")).text == "0")
    #expect(
      try await client.send(news.field("Cache-Control", "no-store").cached(as: "news", .networkOnly)).text
        == "1")
    #expect(try await client.send(news.cached(as: "news")).text == "0")
    #expect(try await client.send(news.cached(as: "news", .networkOnly)).text == "2")
    #expect(try await client.cachedResponse(to: news.cached(as: "news")) == nil)
    #expect(try await client.send(news.cached(as: "news")).text == "3")
  }

  @Test func `a no-store response that an older program cached is not delivered`() async throws {
    let store = MemoryResponseCache()
    let old = CachedResponse(
      status: 200, fields: ["Cache-Control": "no-store"], data: Data("old".utf8), url: server.url("/me"),
      date: .now)
    await store.write(old, under: CacheKey("me"))
    var configuration = ClientConfiguration()
    configuration.cache = store
    let client = Client(transport: CurlTransport(), configuration: configuration)
    #expect(try await client.send(.get(server.url("/me")).cached(as: "me")).text == "you are nobody 0")
  }

  @Test func `a no-store request leaves nothing in the cache`() async throws {
    let request = me("Cache-Control", "no-store").cached(as: "me")
    let first = try await client.send(request).text
    #expect(try await client.send(request).text != first)
    #expect(try await client.cachedResponse(to: request) == nil)
  }
}
