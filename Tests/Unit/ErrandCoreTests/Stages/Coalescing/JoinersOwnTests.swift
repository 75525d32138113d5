import ErrandTesting
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection that is lost in the middle of its first response.
private final class CutTransport: Transport {
  private let count = Tally()

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    count.add()
    let isFirst = count.count == 1
    let head = ResponseHead(status: 404, fields: [:])
    _ = try exchange.sink(for: head).write(Data((isFirst ? "half" : "whole").utf8))
    if isFirst { throw exchange.error(.connectionLost, "cut", reachedServer: true) }
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

/// Properties that each caller of a shared request keeps: its identity, its checks, its time-outs, its
/// priority.
@Suite(.timeLimit(.minutes(1))) struct JoinersOwnTests {
  private let url = "http://a.test/feed"
  private var request: Request { .get(url).shared(within: .seconds(9)) }

  // MARK: Identity

  @Test func `a request without a credential does not share with one that has a credential`() async throws {
    let stage = Stage.configured {
      $0.authentication = .bearer("alice", at: [URL(string: "http://a.test")!])
    }.responding { .response(body: $0.fields["Authorization"] ?? "anonymous") }
    for _ in 0..<2 {
      #expect(try await stage.client.send(request).text == "Bearer alice")
      #expect(try await stage.client.send(request.unauthenticated()).text == "anonymous")
    }
    let cached = Request.get(url).cached(as: "feed")
    for _ in 0..<2 {
      #expect(try await stage.client.send(cached).text == "Bearer alice")
      #expect(try await stage.client.send(cached.unauthenticated()).text == "anonymous")
    }
    #expect(stage.stub.requests.count == 4)
    let tap = Request.post(url).ignoringRepeats(key: "tap")
    try await stage.client.send(tap)
    try await stage.client.send(tap.unauthenticated())
    await stage.settle()
  }

  // MARK: The cache

  @Test func `a caller that requires the network gets no cached response of a shared request`() async throws {
    let gate = StubGate()
    let stage = Stage { .response(body: "\($0.index)").behind(gate) }
    let cached = Request.get(url).cached(as: "feed")
    gate.open()
    #expect(try await stage.client.send(cached).text == "0")
    #expect(try await stage.client.send(cached.shared(within: .seconds(9))).text == "0")
    let refreshed = try await stage.client.send(
      cached.cached(as: "feed", .networkOnly).shared(within: .seconds(9)))
    #expect(refreshed.text == "1")
    #expect(refreshed.cachedAt == nil)
    await stage.settle()
  }

  // MARK: Checks

  @Test func `a response that the first caller rejects reaches a caller that accepts it`() async throws {
    let gate = StubGate()
    let body = String(repeating: "x", count: 200_000)
    let stage = Stage { _ in .response(status: 404, body: body).behind(gate) }
    let first = stage.client.start(request)
    let second = stage.client.start(request.accepting(200..<405))
    try await stage.reachSharing(2, request)
    gate.open()
    #expect(await first.result.requestError?.status == 404)
    let found = try await second.value
    #expect(found.status == 404)
    // The whole body, not only the beginning that an error shows.
    #expect(found.text == body)
    #expect(try await stage.client.send(request.accepting(200..<405)).text == body)
    #expect(await stage.client.start(request).result.requestError?.bodyPrefix?.count == 64 << 10)
    #expect(stage.stub.requests.count == 1)
    await stage.settle()
  }

  @Test func `a response that a check of the first caller rejects reaches a caller without that check`()
    async throws
  {
    struct Refused: Error {}
    let stage = Stage { .response(fields: ["Content-Type": "text/html"], body: "\($0.index)") }
    let strict = [
      request.validate { _ in throw Refused() }, request.expecting(contentType: "application/json"),
      request.expecting(contentType: "application/json").validate { _ in throw Refused() },
    ]
    for request in strict {
      #expect(await stage.client.start(request).result.requestError?.code == .rejected)
    }
    #expect(try await stage.client.send(request).text == "0")
    #expect(stage.stub.requests.count == 1)
    await stage.settle()
  }

  @Test func `a rejected response that is truncated is not passed on as a complete one`() async throws {
    let client = Client(transport: CutTransport())
    #expect(await client.start(request).result.requestError?.bodyPrefix == Data("half".utf8))
    #expect(try await client.send(request.accepting(200..<405)).text == "whole")
  }

  @Test func `the rejection of a request that an interceptor sent is not mistaken for the response`()
    async throws
  {
    let interceptor = SendsBefore("/feed") { .get("http://a.test/token") }
    let stage = Stage.configured { $0.interceptors = [interceptor] }
      .responding { _ in .response(status: 404) }
    interceptor.client.withLock { $0 = stage.client }
    interceptor.gate.open()
    let error = await stage.client.start(request.accepting(200..<405)).result.requestError
    #expect(error?.url == "http://a.test/token")
    #expect(stage.paths == ["/token"])
    interceptor.client.withLock { $0 = nil }
    await stage.settle()
  }

  @Test func `callers that accept a status do not share with callers that retry it`() async throws {
    let stage = Stage { .response(status: $0.index == 1 ? 503 : 200, body: "\($0.index)") }
    #expect(try await stage.client.send(request).text == "0")
    let patient = request.query("again", "1")
    #expect(try await stage.client.send(patient.acceptingAnyStatus()).status == 503)
    #expect(try await stage.client.send(patient).text == "2")
    await stage.settle()
  }

  // MARK: Time-outs

  @Test func `a caller is not affected by the time-out of another`() async throws {
    let gate = StubGate()
    let stage = Stage { request in
      request.index == 0 ? .stall : .response(body: "late").behind(gate)
    }
    let hasty = stage.client.start(request.timeout(.milliseconds(400)).attempts(1))
    try await stage.stub.waitForRequests(1)
    let patient = stage.client.start(request.timeout(.seconds(10)).attempts(1))
    try await stage.stub.waitForRequests(2)
    await stage.clock.advance(by: .milliseconds(400))
    #expect(await hasty.result.requestError?.code == .timedOut)
    gate.open()
    #expect(try await patient.value.text == "late")
    await stage.settle()
  }

  // MARK: Priority

  @Test func `a shared request falls back to the highest priority of the remaining callers`() async throws {
    let gate = StubGate()
    let stage = Stage.configured { $0.limits.total = 1 }.responding { request in
      request.path == "/first" ? .response().behind(gate) : .response()
    }
    let request = Request.get(url).shared()
    var calls = [stage.client.start(.get("http://a.test/first"))]
    try await stage.stub.waitForRequests(1)
    calls.append(stage.client.start(request.priority(.background)))
    await stage.reachWaiting(1)
    let urgent = stage.client.start(request.priority(.userInitiated))
    try await stage.reachSharing(2, request)
    calls.append(stage.client.start(.get("http://a.test/other")))
    await stage.reachWaiting(2)
    urgent.cancel()
    _ = await urgent.result
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths == ["/first", "/other", "/feed"])
  }

  @Test
  func `a caller whose priority falls lowers the shared request to the highest of its callers' priorities`()
    async throws
  {
    let gate = StubGate()
    let stage = Stage { _ in .response().behind(gate) }
    let request = Request.get(url).shared()
    let page = RequestScope("page")
    let shown = stage.client.start(request.priority(.userInitiated), in: page)
    let other = stage.client.start(request.priority(.utility))
    try await stage.reachSharing(2, request)
    try await stage.reachSharedPriority(.userInitiated, request)
    page.limitPriority(to: .background)
    try await stage.reachSharedPriority(.utility, request)
    page.limitPriority(to: nil)
    #expect(try stage.sharedPriority(request) == .userInitiated)
    gate.open()
    for call in [shown, other] { _ = try await call.value }
  }

  // MARK: Transport

  @Test func `a call with a separate transport does not share with others, and keeps that transport`()
    async throws
  {
    let stage = Stage { _ in .response(body: "client") }
    let other = StubTransport(clock: stage.clock) { _ in .response(body: "other") }
    #expect(try await stage.client.send(request).text == "client")
    #expect(try await stage.client.send(request, over: other).text == "other")
    #expect(try await stage.client.send(request).text == "client")
    await stage.settle()
  }

  @Test(arguments: [CachePolicy.staleWhileRevalidate, .staleIfError])
  func `the refresh and the limits of a call with a separate transport apply to that transport`(
    policy: CachePolicy
  ) async throws {
    let stage = Stage { _ in .response(body: "client") }
    let other = StubTransport(clock: stage.clock) { _ in .response(body: "other") }
    let request = Request.get(url).cached(as: "feed", policy).deadline(.seconds(60))
    for _ in 0..<2 { #expect(try await stage.client.send(request, over: other).text == "other") }
    await stage.expectNothingLeft()
    #expect(stage.stub.requests.isEmpty)
    #expect(other.requests.count == 2)
  }
}
