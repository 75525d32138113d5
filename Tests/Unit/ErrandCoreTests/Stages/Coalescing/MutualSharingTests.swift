import ErrandTesting
import Testing

@testable import ErrandCore

/// Shared requests whose interceptors send one another, each started by a separate caller.
@Suite(.timeLimit(.minutes(1))) struct MutualSharingTests {
  /// Sends another request before a request continues for the first time, once all of them have come this
  /// far.
  private final class Asks: Interceptor {
    let clients = Locked<[String: Client]>([:])
    /// Opened when every request in `others` has come this far.
    let all = StubGate()
    private let asked = Locked(Set<String>())
    private let others: [String: Request]

    init(_ others: [String: Request]) { self.others = others }

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let path = request.path ?? ""
      guard let other = others[path], asked.withLock({ $0.insert(path).inserted }) else {
        return try await next(request)
      }
      if asked.withLock({ $0.count }) == others.count { all.open() }
      try await all.pass()
      _ = try await clients.withLock { $0[other.address.originName] }?.send(other)
      return try await next(request)
    }
  }

  private func stage(_ asks: Asks, _ host: String, aroundCall: Bool) -> Stage {
    let stage = Stage(
      configured: {
        $0.limits.total = 1
        if aroundCall { $0.interceptors = [asks] } else { $0.attemptInterceptors = [asks] }
      }, { .response(body: $0.path) })
    asks.clients.withLock { $0["http://\(host):80"] = stage.client }
    return stage
  }

  private static func shared(_ path: String, _ host: String = "a.test") -> Request {
    .get("http://\(host)\(path)").shared()
  }

  @Test(arguments: [true, false])
  func `two requests that wait for each other end, because one of them is sent without sharing`(
    aroundCall: Bool
  ) async throws {
    let asks = Asks(["/a": Self.shared("/b"), "/b": Self.shared("/a")])
    let stage = stage(asks, "a.test", aroundCall: aroundCall)
    let calls = ["/a", "/b"].map { stage.client.start(Self.shared($0)) }
    #expect(try await calls[0].value.text == "/a")
    #expect(try await calls[1].value.text == "/b")
    #expect(stage.paths.count == 3)
    asks.clients.withLock { $0 = [:] }
    await stage.expectNothingLeft()
  }

  @Test func `two requests whose interceptors always send each other are finally refused`() async throws {
    final class Always: Interceptor {
      let client = Locked<Client?>(nil)
      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        let other = request.path == "/a" ? "/b" : "/a"
        _ = try await client.withLock { $0 }?.send(MutualSharingTests.shared(other))
        return try await next(request)
      }
    }
    let always = Always()
    let stage = Stage(configured: { $0.interceptors = [always] }, { .response(body: $0.path) })
    always.client.withLock { $0 = stage.client }
    let calls = ["/a", "/b"].map { stage.client.start(Self.shared($0)) }
    for call in calls { #expect(await call.result.requestError?.code == .unsupported) }
    #expect(stage.paths == [])
    always.client.withLock { $0 = nil }
    await stage.expectNothingLeft()
  }

  @Test func `three requests that wait for each other in a cycle end`() async throws {
    let asks = Asks(["/a": Self.shared("/b"), "/b": Self.shared("/c"), "/c": Self.shared("/a")])
    let stage = stage(asks, "a.test", aroundCall: false)
    let calls = ["/a", "/b", "/c"].map { stage.client.start(Self.shared($0)) }
    for call in calls { _ = try await call.value }
    #expect(stage.paths.count == 4)
    asks.clients.withLock { $0 = [:] }
    await stage.expectNothingLeft()
  }

  @Test func `two requests of two clients that wait for each other end`() async throws {
    let asks = Asks(["/a": Self.shared("/b", "b.test"), "/b": Self.shared("/a")])
    let (one, two) = (stage(asks, "a.test", aroundCall: true), stage(asks, "b.test", aroundCall: true))
    let calls = [one.client.start(Self.shared("/a")), two.client.start(Self.shared("/b", "b.test"))]
    for call in calls { _ = try await call.value }
    #expect(one.paths.count + two.paths.count == 3)
    asks.clients.withLock { $0 = [:] }
    await one.expectNothingLeft()
    await two.expectNothingLeft()
  }

  @Test func `two requests that wait for the same third request share it`() async throws {
    let asks = Asks(["/a": Self.shared("/c", "c.test"), "/b": Self.shared("/c", "c.test")])
    let gate = StubGate()
    let third = Stage { .response(body: $0.path).behind(gate) }
    asks.clients.withLock { $0["http://c.test:80"] = third.client }
    let stage = stage(asks, "a.test", aroundCall: true)
    let calls = ["/a", "/b"].map { stage.client.start(Self.shared($0)) }
    try await third.reachSharing(2, Self.shared("/c", "c.test"))
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(third.paths == ["/c"])
    asks.clients.withLock { $0 = [:] }
  }

  @Test func `a wait that has ended is forgotten`() {
    final class Flown {}
    let (one, two, three) = (Flown(), Flown(), Flown())
    let (a, b, c) = (ObjectIdentifier(one), ObjectIdentifier(two), ObjectIdentifier(three))
    withExtendedLifetime((one, two, three)) {
      var waits = InFlightWaits()
      var begun = [(a, b), (a, b), (b, c), (c, a), (a, a)].map { waits.begin($0, for: $1) }
      #expect(begun == [true, true, true, false, false])
      waits.end(a, for: b)
      begun = [waits.begin(c, for: a)]
      waits.end(a, for: b)
      begun.append(waits.begin(c, for: a))
      #expect(begun == [false, true])
      waits.end(c, for: a)
      waits.end(b, for: c)
      #expect(waits.isEmpty)
    }
  }

  /// Makes `/a` wait for `/b` until a deadline of one second, and then `/b` wait for `/a`.
  private final class Attempts: Interceptor {
    let client = Locked<Client?>(nil)
    let again = StubGate()

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      guard let client = client.withLock({ $0 }) else { return try await next(request) }
      switch request.path {
      case "/a":
        _ = try? await client.send(MutualSharingTests.shared("/b").deadline(.seconds(1)))
        again.open()
        try await client.send(.get("http://a.test/held"))
      case "/b":
        try await again.pass()
        _ = try await client.send(MutualSharingTests.shared("/a"))
      default: break
      }
      return try await next(request)
    }
  }

  @Test func `a request may wait for another that no longer waits for it`() async throws {
    let attempts = Attempts()
    let gate = StubGate()
    let stage = Stage(
      configured: { $0.interceptors = [attempts] },
      { $0.path == "/held" ? .response().behind(gate) : .response(body: $0.path) })
    attempts.client.withLock { $0 = stage.client }
    let calls = [stage.client.start(Self.shared("/b")), stage.client.start(Self.shared("/a"))]
    try await stage.reachSharing(2, Self.shared("/b"))
    await stage.reachSleep(of: .seconds(1))
    await stage.clock.advance(by: .seconds(1))
    try await stage.reachSharing(2, Self.shared("/a"))
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.paths.sorted() == ["/a", "/b", "/held"])
    attempts.client.withLock { $0 = nil }
  }
}
