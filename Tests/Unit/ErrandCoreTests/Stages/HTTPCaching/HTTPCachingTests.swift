import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The HTTP cache of a client whose server follows a script.
@Suite struct HTTPCachingTests {
  private static let url = "http://a.test/feed"
  private let script = Script(.response(body: "none"))
  private let stage: Stage

  init() {
    stage = Stage.configured { $0.cache = .http() }.responding { [script] _ in script.now }
  }

  private func serve(_ body: String, _ fields: HTTPFields, status: Int = 200) {
    script.now = .response(status: status, fields: fields, body: body)
  }

  /// Sends the request. Returns the body, and what the cache did in short.
  private func send(_ request: Request = .get(url), on stage: Stage? = nil) async throws -> String {
    let response = try await (stage ?? self.stage).client.send(request.acceptingAnyStatus().bestEffort())
    let status = try #require(response.cacheStatus)
    var text = "\(response.status.code) \(response.text)"
    if status.isHit { text += " hit" }
    if let forward = status.forward { text += " \(forward.rawValue)" }
    if status.forwardStatus == 304 { text += " 304" }
    if status.isStored { text += " stored" }
    if status.isCollapsed { text += " collapsed" }
    return text
  }

  private func wait(_ seconds: Double) async { await stage.clock.advance(by: .seconds(seconds)) }

  private var sent: [StubRequest] { stage.stub.requests }

  // MARK: Freshness

  @Test func `a fresh response comes from the cache, with its age`() async throws {
    serve("one", ["Cache-Control": "max-age=60", "Age": "5", "X": "y"])
    #expect(try await send() == "200 one uri-miss stored")
    await wait(54)
    let response = try await stage.client.send(.get(Self.url))
    #expect(response.text == "one" && response.fields["Age"] == "59" && response.fields["X"] == "y")
    #expect(response.cacheStatus?.description == "Errand; hit; ttl=1; detail=\"fresh\"")
    #expect(response.cachedAt != nil && sent.count == 1)
    await wait(1)
    serve("two", ["Cache-Control": "max-age=60"])
    #expect(try await send() == "200 two stale stored")
  }

  @Test func `a request without the cache's option does not use it, and one with it does`() async throws {
    let stage = Stage { [script] _ in script.now }
    serve("one", ["Cache-Control": "max-age=60"])
    #expect(try await stage.client.send(.get(Self.url)).cacheStatus == nil)
    #expect(try await send(.get(Self.url).cached(), on: stage) == "200 one uri-miss stored")
    #expect(try await send(.get(Self.url).cached(), on: stage) == "200 one hit")
    #expect(try await stage.client.send(.get(Self.url)).cacheStatus == nil)
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `the request's directives count`() async throws {
    serve("one", ["Cache-Control": "max-age=60"])
    _ = try await send()
    await wait(10)
    serve("two", ["Cache-Control": "max-age=60, stale-if-error=0"])
    let get = Request.get(Self.url)
    #expect(try await send(get.cached(.maxAge(.seconds(10)))) == "200 one hit")
    #expect(try await send(get.cached(.minFresh(.seconds(50)))) == "200 one hit")
    #expect(try await send(get.cached(.onlyIfCached)) == "200 one hit")
    #expect(try await send(get.cached(.noStore, .maxAge(.seconds(9)))) == "200 two request")
    #expect(sent.last?.fields["Cache-Control"] == "no-store, max-age=9")
    #expect(try await send(get.cached(.maxAge(.seconds(9)))) == "200 two request stored")
    await wait(70)
    #expect(try await send(get.cached(.maxStale(.seconds(10)))) == "200 two hit")
    #expect(try await send(get.cached(.maxStale)) == "200 two hit")
    #expect(try await send(get.cached(.onlyIfCached)) == "504  stale")
    #expect(try await send(.get("http://a.test/other").cached(.onlyIfCached)) == "504  uri-miss")
    #expect(try await send(get.cached(.revalidate)).hasPrefix("200 two stale"))
    await #expect(throws: RequestError.self) { try await stage.client.send(.get("/x").cached(.onlyIfCached)) }
  }

  // MARK: Validation

  @Test func `a stale response is validated, and a 304 renews it`() async throws {
    serve("one", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": "x", "A": "1", "B": "1"])
    _ = try await send()
    await wait(60)
    serve("", ["Cache-Control": "max-age=30", "ETag": "\"1\"", "A": "2", "Content-Length": "0"], status: 304)
    #expect(try await send() == "200 one stale 304 stored")
    #expect(sent[1].fields["If-None-Match"] == "\"1\"" && sent[1].fields["If-Modified-Since"] == "x")
    let response = try await stage.client.send(.get(Self.url))
    #expect(response.fields["A"] == "2" && response.fields["B"] == "1" && response.fields["Age"] == "0")
    await wait(29)
    #expect(try await send() == "200 one hit")
    await wait(1)
    serve("two", ["ETag": "\"2\"", "Cache-Control": "max-age=30"])
    #expect(try await send() == "200 two stale stored")
    #expect(try await send() == "200 two hit")
  }

  @Test func `a 304 about a version that is not stored is asked again without conditions`() async throws {
    serve("one", ["ETag": "\"1\""])
    _ = try await send()
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      request.fields.contains("If-None-Match")
        ? .response(status: 304, fields: ["ETag": "\"9\""])
        : .response(fields: ["ETag": "\"\(request.index)\""], body: "\(request.index)")
    }
    #expect(try await send(on: stage) == "200 0 uri-miss stored")
    #expect(try await send(on: stage) == "200 2 stale stored")
  }

  @Test func `a tag that the caller sends already is not repeated`() async throws {
    serve("one", ["ETag": "\"1\""])
    _ = try await send()
    serve("", ["ETag": "\"1\""], status: 304)
    _ = try await send(.get(Self.url).field("If-None-Match", "\"1\""))
    _ = try await send(.get(Self.url).field("If-None-Match", "\"0\""))
    #expect(sent[1...].map { $0.fields["If-None-Match"] } == ["\"1\"", "\"0\", \"1\""])
  }

  @Test func `conditions are met as HTTP says, also by a response without a tag and a date`() async throws {
    serve("one", ["Cache-Control": "max-age=60"])
    _ = try await send()
    let get = Request.get(Self.url)
    #expect(try await send(get.field("If-None-Match", "*")) == "304  hit")
    #expect(try await send(get.field("If-None-Match", "\"1\"")) == "200 one hit")
    // Without a date, the response counts as made when it came: on 12 January 1970 here.
    #expect(try await send(get.field("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")) == "200 one hit")
    let late = get.field("If-Modified-Since", "Wed, 06 Nov 2999 08:49:37 GMT")
    #expect(try await send(late) == "304  hit")
    // Every If-None-Match, also an empty one, makes the other condition count for nothing.
    #expect(try await send(late.field("If-None-Match", "")) == "200 one hit")
  }

  @Test func `a request's own conditions are met from the cache`() async throws {
    serve(
      "one",
      ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
    _ = try await send()
    let get = Request.get(Self.url)
    #expect(try await send(get.field("If-None-Match", "\"0\", W/\"1\"")) == "304  hit")
    #expect(try await send(get.field("If-None-Match", "*")) == "304  hit")
    #expect(try await send(get.field("If-None-Match", "\"2\"")) == "200 one hit")
    #expect(try await send(get.field("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")) == "304  hit")
    #expect(try await send(get.field("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")) == "200 one hit")
    // Stale: the server is asked about both versions.
    await wait(60)
    script.now = .response(status: 304, fields: ["ETag": "\"7\""])
    #expect(try await send(get.field("If-None-Match", "\"7\"")) == "304  stale 304")
    #expect(sent.last?.fields["If-None-Match"] == "\"7\", \"1\"")
    script.now = .response(status: 304, fields: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
    #expect(try await send(get.field("If-None-Match", "\"7\"")) == "200 one stale 304 stored")
    #expect(try await send(get.field("If-Match", "\"1\"")) == "304  bypass")
  }

  @Test func `simultaneous requests for one stale response are validated once`() async throws {
    serve("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""])
    _ = try await send()
    await wait(2)
    let gate = StubGate()
    script.now = .response(status: 304, fields: ["Cache-Control": "max-age=60"]).behind(gate)
    async let results = withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await send() } }
      return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    while sent.count < 2 { await Task.yield() }
    for _ in 0..<1000 { await Task.yield() }
    gate.open()
    let counts = try await results
    #expect(sent.count == 2 && counts["200 one stale 304 stored"] == 1)
    #expect(counts.values.reduce(0, +) == 20 && counts.keys.allSatisfy { $0.hasPrefix("200 one") })
  }

  @Test func `a waiting request goes on when the one that validates is cancelled`() async throws {
    serve("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""])
    _ = try await send()
    await wait(2)
    script.now = .stall
    let first = stage.client.start(.get(Self.url))
    while sent.count < 2 { await Task.yield() }
    let second = stage.client.start(.get(Self.url))
    for _ in 0..<1000 { await Task.yield() }
    serve("two", [:])
    first.cancel()
    #expect(try await second.value.text == "two")
    await stage.expectNothingLeft()
  }

  /// Counts how often requests look for stored responses.
  private final class CountingStore: ResponseCache {
    private let memory = MemoryResponseCache()
    let looks = Locked(0)

    func salt() async throws -> Data { await memory.salt() }
    func read(_ key: CacheKey) async throws -> CachedResponse? { await memory.read(key) }
    func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
      looks.withLock { $0 += 1 }
      return await memory.readVariants(of: key)
    }
    func write(_ response: CachedResponse, under key: CacheKey) async throws {
      await memory.write(response, under: key)
    }
    func remove(_ key: CacheKey) async throws { await memory.remove(key) }
    func list() async throws -> [CacheEntry] { await memory.list() }
    func clear() async throws { await memory.clear() }

    /// Waits until requests have looked that often, and then have had time to wait for another request.
    func reach(_ count: Int) async {
      while looks.withLock(\.self) < count { await Task.yield() }
      for _ in 0..<1000 { await Task.yield() }
    }
  }

  @Test func `simultaneous requests for a response with no-cache are validated together`() async throws {
    let store = CountingStore()
    let gates = [StubGate(), StubGate()]
    let stage = Stage.configured { $0.cache = .http(store) }.responding { request in
      let step = StubStep.response(
        status: request.index == 0 ? 200 : 304, fields: ["Cache-Control": "no-cache", "ETag": "\"1\""],
        body: request.index == 0 ? "one" : "")
      return 1...2 ~= request.index ? step.behind(gates[request.index - 1]) : step
    }
    _ = try await send(on: stage)
    async let results = withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await send(on: stage) } }
      return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    await store.reach(21)
    gates[0].open()
    // The first validation may have begun before the others asked, so that a second one is for all of them.
    await store.reach(40)
    gates[1].open()
    let counts = try await results
    #expect(counts == ["200 one stale 304 stored": 2, "200 one stale collapsed": 18], "\(counts)")
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `requests that wait for a validation get the stale response if the server cannot be reached`()
    async throws
  {
    let store = CountingStore()
    let gate = StubGate()
    let stage = Stage.configured { $0.cache = .http(store) }.responding { request in
      request.index == 0
        ? .response(fields: ["Cache-Control": "max-age=1", "ETag": "\"1\""], body: "one")
        : .fail(.cannotConnect, reachedServer: false).behind(gate)
    }
    _ = try await send(on: stage)
    await stage.clock.advance(by: .seconds(2))
    async let results = withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await send(on: stage) } }
      return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    await store.reach(21)
    gate.open()
    #expect(try await results.keys.allSatisfy { $0.hasPrefix("200 one") })
    #expect(stage.stub.requests.count == 2)
  }

  /// Sends requests at once that wait for one validation, of which only some update the stored response.
  @Test(arguments: ["redirect", "vary"])
  func `a validation that leaves the stored response as it is does not satisfy others`(kind: String)
    async throws
  {
    let store = CountingStore()
    let gates = [StubGate(), StubGate()]
    let stage = Stage.configured { $0.cache = .http(store) }.responding { request in
      if request.index == 0 {
        let fields: HTTPFields = ["Cache-Control": "no-cache", "ETag": "\"1\"", "Vary": "X-A"]
        return .response(fields: fields, body: "old")
      }
      let step: StubStep =
        request.path == "/new"
        ? .response(fields: ["Cache-Control": "max-age=60"], body: "new")
        : kind == "redirect"
          ? .response(status: 302, fields: ["Location": "/new"])
          : .response(fields: ["Cache-Control": "no-cache", "Vary": "X-A, X-B"], body: "new")
      return 1...2 ~= request.index ? step.behind(gates[request.index - 1]) : step
    }
    _ = try await send(on: stage)
    async let results = withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<6 {
        group.addTask { try await send(.get(Self.url).field("X-B", "\(number)"), on: stage) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await store.reach(7)
    for gate in gates { gate.open() }
    for result in try await results { #expect(result.hasPrefix("200 new")) }
  }

  @Test func `a request does not wait for one with other time-outs, retries or another priority`()
    async throws
  {
    serve("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""])
    _ = try await send()
    await wait(2)
    script.now = .stall
    let first = stage.client.start(.get(Self.url).priority(.background).bestEffort())
    while sent.count < 2 { await Task.yield() }
    serve("two", ["Cache-Control": "max-age=1"])
    #expect(try await send() == "200 two stale stored")
    #expect(
      try await send(.get(Self.url).timeout(.seconds(1)).cached(.revalidate)) == "200 two request stored")
    first.cancel()
    await stage.expectNothingLeft()
  }

  /// Asks for the URL of each validation before it.
  private final class AsksBefore: Interceptor {
    let client = Locked<Client?>(nil)

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      if request.fields["X-Inner"] == nil, request.fields["If-None-Match"] != nil {
        _ = try await client.withLock { $0 }?.send(
          .head(HTTPCachingTests.url).field("X-Inner", "1").bestEffort())
      }
      return try await next(request)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `an interceptor that asks for the same URL does not wait for itself`() async throws {
    let interceptor = AsksBefore()
    let stage = Stage.configured {
      $0.cache = .http()
      $0.interceptors = [interceptor]
    }.responding { _ in .response(fields: ["Cache-Control": "max-age=1", "ETag": "\"1\""], body: "one") }
    interceptor.client.withLock { $0 = stage.client }
    _ = try await send(on: stage)
    await stage.clock.advance(by: .seconds(2))
    #expect(try await send(on: stage).hasPrefix("200 one"))
    #expect(stage.stub.requests.count == 3)
    interceptor.client.withLock { $0 = nil }
  }

  @Test func `variants of a URL are validated beside each other`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      let language = request.fields["Accept-Language"] ?? "none"
      if request.index == 2 { return .stall }
      return .response(
        fields: ["Cache-Control": "max-age=1", "Vary": "Accept-Language", "ETag": "\"\(language)\""],
        body: "\(language) \(request.index)")
    }
    func request(_ language: String) -> Request { .get(Self.url).field("Accept-Language", language) }
    for language in ["de", "en"] { _ = try await send(request(language), on: stage) }
    await stage.clock.advance(by: .seconds(2))
    let stalled = stage.client.start(request("de"))
    while stage.stub.requests.count < 3 { await Task.yield() }
    #expect(try await send(request("en"), on: stage) == "200 en 3 stale stored")
    stalled.cancel()
    await stage.expectNothingLeft()
  }

  @Test func `the status says what was stored`() async throws {
    serve("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""])
    _ = try await send()
    serve("x", ["Cache-Control": "max-age=1", "ETag": "\"2\""])
    let limited = try await stage.client.send(.get(Self.url).memoryLimit(2).bestEffort().acceptingAnyStatus())
    #expect(
      limited.cacheStatus?.detail == "the stored content is larger than the request's memoryLimit")
    await wait(2)
    serve("", ["Cache-Control": "no-store"], status: 304)
    let response = try await stage.client.send(.get(Self.url))
    #expect(response.text == "x" && response.cacheStatus?.description.contains("ttl") == false)
    let small = Stage.configured { $0.cache = .http(MemoryResponseCache(limit: 10)) }.responding { _ in
      .response(fields: ["Cache-Control": "max-age=60"], body: "too large")
    }
    #expect(try await send(on: small) == "200 too large uri-miss")
  }

  // MARK: Vary

  @Test func `several variants of a URL are stored`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      let language = request.fields["Accept-Language"] ?? "none"
      return .response(
        fields: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
        body: "\(language) \(request.index)")
    }
    func send(_ language: String?) async throws -> String {
      try await self.send(
        language.map { .get(Self.url).field("Accept-Language", $0) } ?? .get(Self.url), on: stage)
    }
    #expect(try await send("de") == "200 de 0 uri-miss stored")
    #expect(try await send("en") == "200 en 1 vary-miss stored")
    #expect(try await send(nil) == "200 none 2 vary-miss stored")
    #expect(try await send("de") == "200 de 0 hit")
    #expect(try await send("en") == "200 en 1 hit")
    for number in 0..<20 { _ = try await send("x\(number)") }
    #expect(try await stage.client.pipeline.configuration.cache.list().count == CacheKey.variants.count)
    #expect(try await send("x19") == "200 x19 22 hit")
  }

  // MARK: Users

  @Test func `a response is only for the credential that it was sent with`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      .response(fields: ["Cache-Control": "max-age=60"], body: request.fields["Authorization"] ?? "nobody")
    }
    let (ann, bob) = (Request.get(Self.url).bearer("ann"), Request.get(Self.url).bearer("bob"))
    #expect(try await send(ann, on: stage) == "200 Bearer ann uri-miss stored")
    #expect(try await send(bob, on: stage) == "200 Bearer bob uri-miss stored")
    #expect(try await send(on: stage) == "200 nobody uri-miss stored")
    #expect(try await send(ann, on: stage) == "200 Bearer ann hit")
    for entry in try await stage.client.pipeline.configuration.cache.list() {
      #expect(!"\(entry)".contains("ann") && !"\(entry)".contains("bob"))
    }
  }

  @Test func `a response to a cookie is for this cookie, and one without a cookie for all`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      .response(fields: ["Cache-Control": "max-age=60"], body: request.fields["Cookie"] ?? "nobody")
    }
    func get(_ cookie: String) -> Request { .get(Self.url).field("Cookie", cookie) }
    #expect(try await send(get("a"), on: stage) == "200 a uri-miss stored")
    #expect(try await send(get("b"), on: stage) == "200 b uri-miss stored")
    #expect(try await send(on: stage) == "200 nobody uri-miss stored")
    #expect(try await send(get("c"), on: stage) == "200 nobody hit")
    #expect(try await send(get("a"), on: stage) == "200 a hit")
  }

  @Test func `Set-Cookie is kept in memory, and is not given to the cookies again`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { _ in
      .response(fields: [
        "Cache-Control": "max-age=60", "Set-Cookie": "a=b", "Connection": "X, close", "X": "1",
      ])
    }
    _ = try await send(on: stage)
    let hit = try await stage.client.send(.get(Self.url))
    #expect(hit.fields["Set-Cookie"] == "a=b" && hit.fields["Connection"] == nil && hit.fields["X"] == nil)
  }

  // MARK: Other methods

  @Test func `a successful unsafe request invalidates its target and the URLs that it names`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      request.method == .get
        ? .response(fields: ["Cache-Control": "max-age=60"], body: "\(request.index)")
        : .response(
          status: request.path == "/fails" ? 404 : 201,
          fields: ["Location": "/made", "Content-Location": "http://b.test/other"])
    }
    func get(_ url: String) async throws -> Bool { try await send(.get(url), on: stage).hasSuffix("hit") }
    let urls = ["http://a.test/feed", "http://a.test/made", "http://b.test/other", "http://a.test/fails"]
    for url in urls { _ = try await send(.get(url), on: stage) }
    _ = try await send(.put("http://a.test/fails"), on: stage)
    for url in urls { #expect(try await get(url)) }
    #expect(try await send(.post("http://a.test/feed"), on: stage) == "201  method")
    #expect(try await !get(urls[0]))
    #expect(try await !get(urls[1]))
    #expect(try await get(urls[2]))
    _ = try await send(Request("OPTIONS", urls[0]), on: stage)
    #expect(try await get(urls[0]))
  }

  @Test func `a response that was requested before its URL changed is not stored after`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      let response = StubStep.response(fields: ["Cache-Control": "max-age=60"], body: "\(request.index)")
      return request.index == 0 ? response.behind(gate) : response
    }
    let early = stage.client.start(.get(Self.url))
    while stage.stub.requests.isEmpty { await Task.yield() }
    #expect(try await send(.post(Self.url), on: stage) == "200 1 method")
    gate.open()
    #expect(try await early.value.text == "0")
    #expect(try await send(on: stage) == "200 2 uri-miss stored")
    #expect(try await send(on: stage) == "200 2 hit")
  }

  @Test func `HEAD is served from a stored GET, updates it, or marks it as out of date`() async throws {
    let head = Request(.head, Self.url)
    serve("one", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "A": "1"])
    _ = try await send()
    #expect(try await send(head) == "200  hit")
    await wait(60)
    serve("", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "A": "2", "Content-Length": "3"])
    #expect(try await send(head) == "200  stale")
    #expect(try await send() == "200 one hit")
    #expect(try await stage.client.send(.get(Self.url)).fields["A"] == "2")
    await wait(60)
    serve("", ["Cache-Control": "max-age=60", "ETag": "\"2\""])
    _ = try await send(head)
    serve("two", [:])
    #expect(try await send().hasPrefix("200 two"))
  }

  @Test func `a POST is stored for GET only if its response says so`() async throws {
    serve("made", ["Cache-Control": "max-age=60", "Content-Location": "/feed"])
    #expect(try await send(.post(Self.url)) == "200 made method stored")
    #expect(try await send() == "200 made hit")
    serve("other", ["Cache-Control": "max-age=60", "Content-Location": "/else"])
    #expect(try await send(.post(Self.url)) == "200 other method")
    #expect(try await send() == "200 other uri-miss stored")
    serve("unfresh", ["Content-Location": "/feed", "ETag": "\"1\""])
    #expect(try await send(.post(Self.url)) == "200 unfresh method")
  }

  // MARK: What others have found

  /// Gives each request the cookie that it has.
  private final class OneCookie: CookieJar {
    let value = Locked<String?>(nil)
    func field(for url: URL, identity: String?, at now: Date) -> String? { value.withLock { $0 } }
    func receive(
      _ fields: HTTPFields, from url: URL, identity: String?, at now: Date
    ) -> (@Sendable () async throws -> Void)? { nil }
  }

  @Test(arguments: ["", "Cookie"])
  func `cookies that the client adds keep users apart`(vary: String) async throws {
    let jar = OneCookie()
    let stage = Stage.configured {
      $0.cache = .http()
      $0.cookies = jar
    }.responding { request in
      var fields: HTTPFields = ["Cache-Control": "max-age=60"]
      if !vary.isEmpty { fields["Vary"] = vary }
      return .response(fields: fields, body: request.fields["Cookie"] ?? "nobody")
    }
    for user in ["ann", "bob", nil, "ann", "bob"] {
      jar.value.withLock { $0 = user }
      #expect(try await stage.client.send(.get(Self.url)).text == user ?? "nobody")
    }
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `a response to HEAD that the request rejects is not one to GET`() async throws {
    serve("one", ["Cache-Control": "max-age=60", "Content-Type": "text/plain"])
    await #expect(throws: RequestError.self) {
      try await stage.client.send(Request(.head, Self.url).expecting(contentType: "a/b"))
    }
    #expect(try await send() == "200 one uri-miss stored")
  }

  @Test func `a GET with a body goes to the server`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      .response(fields: ["Cache-Control": "max-age=60"], body: "\(request.index)")
    }
    for number in 0..<2 {
      let request = Request(.get, Self.url, body: .text("\(number)"))
      #expect(try await send(request, on: stage) == "200 \(number) bypass")
    }
  }

  @Test func `a 304 or a HEAD of a redirect's target renews nothing at the first URL`() async throws {
    let isMoved = Locked(false)
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      if request.path == "/feed", isMoved.withLock({ $0 }) {
        return .response(status: 302, fields: ["Location": "/b"])
      }
      let fields: HTTPFields = ["Cache-Control": "max-age=1", "ETag": "\"1\""]
      if request.path == "/b", request.fields["If-None-Match"] == "\"1\"" {
        return .response(status: 304, fields: fields)
      }
      return .response(fields: fields, body: request.path)
    }
    #expect(try await send(on: stage) == "200 /feed uri-miss stored")
    await stage.clock.advance(by: .seconds(2))
    isMoved.withLock { $0 = true }
    _ = try await send(Request(.head, Self.url), on: stage)
    #expect(try await send(on: stage).hasPrefix("200 /b stale"))
  }

  @Test func `an unsafe request makes other users' responses stale, and does so if its response is rejected`()
    async throws
  {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      .response(fields: ["Cache-Control": "max-age=60"], body: "\(request.index)")
    }
    let ann = Request.get(Self.url).bearer("ann")
    #expect(try await send(ann, on: stage) == "200 0 uri-miss stored")
    #expect(try await send(on: stage) == "200 1 uri-miss stored")
    await stage.clock.advance(by: .seconds(1))
    let change = Request.post(Self.url).bearer("ann").field("X-CSRF-Token", "t").expecting(contentType: "a/b")
    await #expect(throws: RequestError.self) { try await stage.client.send(change) }
    #expect(try await send(ann, on: stage) == "200 3 miss stored")
    #expect(try await send(on: stage) == "200 4 uri-miss stored")
  }

  @Test func `another user's change at the same moment counts`() async throws {
    serve("one", ["Cache-Control": "max-age=60"])
    _ = try await send(.get(Self.url).bearer("ann"))
    serve("", [:], status: 204)
    _ = try await send(.post(Self.url).bearer("bob"))
    serve("two", ["Cache-Control": "max-age=60"])
    #expect(try await send(.get(Self.url).bearer("ann")) == "200 two miss stored")
  }

  @Test func `a 304 to the caller's own condition renews nothing`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      request.fields.contains("If-Modified-Since")
        ? .response(status: 304)
        : .response(
          fields: ["Cache-Control": "max-age=1", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
          body: "\(request.index)")
    }
    #expect(try await send(on: stage) == "200 0 uri-miss stored")
    await stage.clock.advance(by: .seconds(2))
    let own = Request.get(Self.url).field("If-Modified-Since", "Mon, 07 Nov 1994 08:49:37 GMT")
    #expect(try await send(own, on: stage).hasPrefix("304"))
    #expect(try await send(.get(Self.url).cached(.onlyIfCached), on: stage) == "504  stale")
  }

  @Test func `quoted values and empty members of Vary's fields are told apart`() {
    let vary = Vary(["Vary": "X"])
    func values(_ text: String) -> [String?] { vary.values(in: ["X": text], secrets: .standard) { $0 } }
    #expect(
      values("\"a, b\"") != values("\"a,b\"") && values("a,b") != values("a,,b")
        && values("a, b") == values("a ,b"))
  }

  // MARK: Ranges

  @Test func `parts are stored, combined, and complete the response`() async throws {
    func range(_ range: String) -> Request { .get(Self.url).field("Range", range) }
    func serve(_ body: String, _ start: Int) {
      self.serve(
        body,
        [
          "Cache-Control": "max-age=60", "ETag": "\"1\"",
          "Content-Range": "bytes \(start)-\(start + body.utf8.count - 1)/10",
        ],
        status: 206)
    }
    serve("01234", 0)
    #expect(try await send(range("bytes=0-4")) == "206 01234 uri-miss stored")
    #expect(try await send(range("bytes=1-2")) == "206 12 hit")
    serve("3456789", 3)
    #expect(try await send(range("bytes=3-")) == "206 3456789 partial stored")
    #expect(try await send() == "200 0123456789 hit")
    #expect(try await send(range("bytes=-3")) == "206 789 hit")
    #expect(sent.count == 2)
  }

  @Test func `a part does not replace a complete response`() async throws {
    serve("whole", ["Cache-Control": "max-age=60", "ETag": "W/\"1\""])
    _ = try await send()
    serve(
      "ol", ["Cache-Control": "max-age=60", "ETag": "\"2\"", "Content-Range": "bytes 1-2/5"], status: 206)
    let request = Request.get(Self.url).field("Range", "bytes=1-2").cached(.revalidate)
    #expect(try await send(request) == "206 ol request")
    #expect(try await send() == "200 whole hit")
  }

  @Test func `a part that lies about its length is not stored`() async throws {
    serve(
      "01234", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Range": "bytes 0-8/10"], status: 206)
    #expect(try await send(.get(Self.url).field("Range", "bytes=-5")) == "206 01234 uri-miss")
  }

  // MARK: Failures

  @Test func `a stale response is served when the server cannot be reached, if that is allowed`() async throws
  {
    for (control, text) in [
      ("max-age=1", "200 one hit"), ("max-age=1, must-revalidate", "504  stale"),
      ("max-age=1, no-cache", "504  miss"),
    ] {
      let url = "http://a.test/\(control.count)"
      serve("one", ["Cache-Control": control, "ETag": "\"1\""])
      _ = try await send(.get(url))
      await wait(2)
      script.now = .fail(.cannotConnect, reachedServer: false)
      #expect(
        try await send(.get(url)).replacing("miss", with: "stale") == text.replacing("miss", with: "stale"))
    }
    let url = "http://a.test/\("max-age=1, must-revalidate".count)"
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get(url).bestEffort())
    }
    #expect(error?.code == .cannotConnect)
    script.now = .fail(.untrustedCertificate, reachedServer: false)
    let refused = await #expect(throws: RequestError.self) {
      try await stage.client.send(.get("http://a.test/9").bestEffort())
    }
    #expect(refused?.code == .untrustedCertificate)
  }

  @Test func `a validated response that is larger than the memoryLimit of the request is not delivered`()
    async throws
  {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      if request.index == 0 {
        return .response(fields: ["Cache-Control": "max-age=1", "ETag": "\"1\""], body: "one")
      }
      return .response(status: request.fields.contains("If-None-Match") ? 304 : 403)
    }
    _ = try await send(on: stage)
    await stage.clock.advance(by: .seconds(2))
    let limited = Request.get(Self.url).memoryLimit(2).acceptingAnyStatus()
    #expect(try await stage.client.send(limited).status == 403)
    #expect(stage.stub.requests.count == 3)
  }

  @Test func `stale-if-error covers a server in trouble`() async throws {
    serve("one", ["Cache-Control": "max-age=1, stale-if-error=10", "ETag": "\"1\""])
    _ = try await send()
    await wait(5)
    for status in [500, 502, 503, 504] {
      serve("trouble", [:], status: status)
      #expect(try await send() == "200 one hit")
      #expect(try await stage.client.send(.get(Self.url).bestEffort()).text == "one")
    }
    serve("no", [:], status: 503)
    let limited = Request.get(Self.url).memoryLimit(2).bestEffort()
    #expect(try await stage.client.send(limited.acceptingAnyStatus()).status == 503)
    serve("gone", [:], status: 404)
    #expect(try await send() == "404 gone stale")
  }

  @Test(arguments: [StubStep.response(status: 503), .fail(.connectionLost)])
  func `a response from before another user's change does not replace a failure`(failure: StubStep)
    async throws
  {
    serve("one", ["Cache-Control": "max-age=1, stale-if-error=60"])
    let (ann, bob) = (Request.get(Self.url).bearer("ann"), Request.post(Self.url).bearer("bob"))
    #expect(try await send(ann) == "200 one uri-miss stored")
    await wait(5)
    script.now = failure
    #expect(try await send(ann) == "200 one hit")
    script.now = .response(status: 204)
    _ = try await send(bob)
    script.now = failure
    let late = await stage.client.start(ann.acceptingAnyStatus().bestEffort()).result
    #expect((try? late.get().text) != "one")
    #expect(sent.count == 4)
  }

  @Test func `stale-while-revalidate serves the old response, and renews it once`() async throws {
    serve("one", ["Cache-Control": "max-age=1, stale-while-revalidate=10", "ETag": "\"1\""])
    _ = try await send()
    await wait(5)
    let gate = StubGate()
    script.now = .response(fields: ["Cache-Control": "max-age=60"], body: "two").behind(gate)
    #expect(try await send() == "200 one hit")
    #expect(try await send() == "200 one hit")
    gate.open()
    await stage.expectNothingLeft()
    #expect(sent.count == 2)
    #expect(try await send() == "200 two hit")
  }

  @Test func `no-store removes what is stored, and a rejected response is stored all the same`() async throws
  {
    serve("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""])
    _ = try await send()
    await wait(2)
    serve("secret", ["Cache-Control": "no-store"])
    #expect(try await send() == "200 secret stale")
    serve("none", ["Cache-Control": "max-age=60"], status: 404)
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get(Self.url)) }
    #expect(error?.status == 404)
    let again = await #expect(throws: RequestError.self) { try await stage.client.send(.get(Self.url)) }
    #expect(again?.status == 404 && sent.count == 3)
    #expect(try await send() == "404 none hit")
  }

  // MARK: Redirects

  @Test func `a permanent redirect is stored, and so is the response that it leads to`() async throws {
    let stage = Stage.configured { $0.cache = .http() }.responding { request in
      switch request.path {
      case "/feed": .response(status: 301, fields: ["Location": "/next"])
      case "/next": .response(status: 302, fields: ["Location": "http://b.test/last"])
      default: .response(fields: ["Cache-Control": "max-age=60"], body: "end \(request.index)")
      }
    }
    // A 301 without freshness or a validator cannot be used again, so it is not stored.
    #expect(try await send(on: stage) == "200 end 2 uri-miss stored")
    #expect(try await send(.get("http://b.test/last"), on: stage) == "200 end 2 hit")
    #expect(try await send(on: stage) == "200 end 5 uri-miss stored")

    let lasting = Stage.configured { $0.cache = .http() }.responding { request in
      request.path == "/feed"
        ? .response(status: 301, fields: ["Location": "/next", "Cache-Control": "max-age=100"])
        : .response(fields: ["Cache-Control": "max-age=60"], body: "end \(request.index)")
    }
    #expect(try await send(on: lasting) == "200 end 1 uri-miss stored")
    #expect(try await send(on: lasting) == "200 end 1 hit")
    await lasting.clock.advance(by: .seconds(60))
    #expect(try await send(on: lasting).hasPrefix("200 end 2"))
    #expect(lasting.paths == ["/feed", "/next", "/next"])
    #expect(try await send(.get(Self.url).redirects(RedirectPolicy(limit: 0)), on: lasting) == "301  hit")
  }

  @Test func `a secret URL is not written to disk, and is the URL of its responses all the same`()
    async throws
  {
    let folder = try TemporaryFolder()
    let stage = Stage.configured { $0.cache = .http(DiskResponseCache(folder: folder.url)) }.responding {
      request in
      request.path == "/feed"
        ? .response(
          status: 301, fields: ["Location": "/next?access_token=s3cret", "Cache-Control": "max-age=60"])
        : .response(fields: ["Cache-Control": "max-age=60"], body: "end")
    }
    for _ in 0..<2 {
      let response = try await stage.client.send(.get(Self.url))
      #expect(
        response.text == "end" && response.url.absoluteString == "http://a.test/next?access_token=s3cret")
    }
    #expect(stage.paths == ["/feed", "/next", "/feed", "/next"])
    let direct = try await stage.client.send(.get("http://a.test/next?access_token=s3cret"))
    #expect(direct.cacheStatus?.isHit == true && direct.url.absoluteString.hasSuffix("s3cret"))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      let bytes = try Data(contentsOf: folder.url.appending(path: name))
      #expect(bytes.firstRange(of: Data("s3cret".utf8)) == nil, "\(name)")
    }
  }

  // MARK: Stores

  @Test func `a folder keeps variants and ages beyond the process`() async throws {
    let folder = try TemporaryFolder()
    func stage() -> Stage {
      Stage.configured { $0.cache = .http(DiskResponseCache(folder: folder.url)) }.responding { request in
        .response(
          fields: [
            "Cache-Control": "max-age=60", "Vary": "Accept", "Age": "7", "Set-Cookie": "s3cret",
            "ETag": "\"1\"",
          ], body: "\(request.fields["Accept"] ?? "")")
      }
    }
    let first = stage()
    #expect(try await send(.get(Self.url).field("Accept", "a"), on: first) == "200 a uri-miss stored")
    #expect(try await send(.get(Self.url).field("Accept", "b"), on: first) == "200 b vary-miss stored")
    let second = stage()
    #expect(try await send(.get(Self.url).field("Accept", "a"), on: second) == "200 a hit")
    let hit = try await second.client.send(.get(Self.url).field("Accept", "b"))
    #expect(hit.text == "b" && hit.fields["Age"] == "7" && hit.fields["Set-Cookie"] == nil)
    #expect(second.stub.requests.isEmpty)
  }
}
