import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ServerQuotaTests {
  private typealias Report = ServerQuota.Report
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  private func reports(_ fields: HTTPFields, _ status: Int = 200) -> [ServerQuota.Report] {
    ServerQuota.reports(fields, HTTPStatus(status), at: Self.date)
  }

  @Test func `the fields of the draft are read, with the window of the policy for a missing reset`() {
    #expect(reports(["RateLimit": #""default";r=50;t=30"#]) == [Report(left: 50, reset: .seconds(30))])
    #expect(
      reports([
        "RateLimit": #""hour";r=0, "sec"; r=3;t=1"#, "RateLimit-Policy": #""sec";q=9;w=1,"hour";q=9;w=3600"#,
      ])
        == [Report(left: 0, reset: .seconds(3600)), Report(left: 3, reset: .seconds(1))])
    #expect(
      reports(["RateLimit": #""a\"b";r=0;t=9;pk=:cHsdsRa894==:"#])
        == [Report(left: 0, reset: .seconds(9), isOfPartition: true)])
    #expect(
      reports(["RateLimit": #"p;r=0;t=9"#, "RateLimit-Policy": #"p;q=9;w=9;pk=:AA==:"#])
        == [Report(left: 0, reset: .seconds(9), isOfPartition: true)])
  }

  @Test func `a quota of another unit matters only when it is used up`() {
    let policy = #""bytes";q=1000;qu="content-bytes";w=60"#
    #expect(reports(["RateLimit": #""bytes";r=1"#, "RateLimit-Policy": policy]).isEmpty)
    #expect(reports(["RateLimit": #""bytes";r=0"#, "RateLimit-Policy": policy]).count == 1)
  }

  @Test func `the fields of earlier drafts are read`() {
    #expect(
      reports(["RateLimit-Remaining": "0", "RateLimit-Reset": "7"]) == [Report(left: 0, reset: .seconds(7))])
    #expect(
      reports(["X-RateLimit-Remaining": " 3 ", "X-RateLimit-Reset": "1700000012"])
        == [Report(left: 3, reset: .seconds(12))])
  }

  @Test func `Retry-After of a 429 and a 503 uses the quota up`() {
    #expect(reports(["Retry-After": "9"], 429) == [Report(left: 0, reset: .seconds(9))])
    #expect(
      reports(["Retry-After": "Tue, 14 Nov 2023 22:13:30 GMT"], 503) == [Report(left: 0, reset: .seconds(10))]
    )
    #expect(reports(["Retry-After": "9"], 301).isEmpty)
    #expect(reports(["Retry-After": "0"], 429).isEmpty)
    let ofPartition = reports(["Retry-After": "9", "RateLimit": #""a";r=0;t=8;pk=x"#], 429)
    #expect(ofPartition.count == 2 && ofPartition.allSatisfy(\.isOfPartition))
  }

  @Test(arguments: [
    "", ",", ";", "\"", "\"a", "\"a\\", "\"a\";r", "\"a\";r=", "\"a\";r=-1;t=5", "\"a\";r=0;t=0",
    "\"a\";r=0;t=-5",
    "\"a\";r=0", "\"a\";r=0.5;t=1", "\"a\";r=1e3;t=1", "\"a\";r=0;t=9999999999999999999999", "\"a\";r=0;t=5,",
    "\"a\";r=0;t=5,,", "\"a\";r=0;t=5 x", "a b", "limit=100, remaining=0, reset=30", "\"a\";;r=0;t=5",
    "\"a\";r=\u{0}0;t=5", "a=b", "é;r=0",
  ])
  func `a malformed field is ignored`(text: String) {
    #expect(reports(["RateLimit": text]).isEmpty)
    #expect(reports(["RateLimit": #""x";r=1;t=5"#, "RateLimit-Policy": text]).count == 1)
    #expect(reports(["RateLimit-Remaining": text, "RateLimit-Reset": text]).isEmpty)
  }

  @Test(arguments: ["0", "1699999999", "1700000000000", "9999999999999999", "-1", "soon"])
  func `an absurd reset is ignored`(text: String) {
    #expect(reports(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": text]).isEmpty)
  }

  @Test func `random bytes neither trap nor loop`() {
    var random = SeededRandom(seed: 7)
    let bytes = Array("\"a\\;=,:rt05 \t-.\u{e9}".utf8)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        bytes.randomElement(using: &random) ?? 0
      }
      for item in QuotaItem.list([String(decoding: text, as: UTF8.self)]) {
        #expect(!item.name.isEmpty || text.contains(34))
      }
    }
  }

  @Test func `the response to an earlier attempt can only make the quota smaller`() {
    func quota(_ left: Int, of attempt: UInt64, reset: Int = 30, inFlight: Int = 0) -> ServerQuota {
      ServerQuota(
        Report(left: left, reset: .seconds(reset)), of: attempt, inFlight: inFlight, longest: .seconds(60),
        at: .zero)
    }
    var kept = quota(5, of: 7)
    kept.replace(by: quota(9, of: 6), at: .zero)
    #expect(kept.left == 5)
    kept.replace(by: quota(3, of: 5, reset: 50), at: .zero)
    #expect(kept.left == 3 && kept.until == .seconds(50))
    kept.replace(by: quota(40, of: 8), at: .zero)
    #expect(kept.left == 40 && kept.until == .seconds(30))
    kept.replace(by: quota(41, of: 1), at: .seconds(30))
    #expect(kept.left == 41)
    #expect(quota(5, of: 1, inFlight: 9).left == 0)
    #expect(quota(5, of: 1, reset: .max).until == .seconds(60))
    #expect(quota(0, of: 1).wait(at: .seconds(30)) == nil)
    #expect(quota(0, of: 1).wait(at: .seconds(29)) == .seconds(1))
  }
}

/// Calls of a client that follows its servers.
@Suite struct ServerQuotaStagesTests {
  private func stage(
    longest: Duration = .seconds(60), _ handler: @escaping StubTransport.Handler
  ) -> Stage {
    Stage(
      configured: {
        $0.rateLimits = RateLimits(followsServer: true)
        $0.rateLimits.maxServerWait = longest
        $0.retry = .never
      }, handler)
  }

  private func get(_ path: String, host: String = "a.test") -> Request { .get("http://\(host)/\(path)") }

  private func reachWaiting(_ count: Int, _ stage: Stage) async {
    while stage.client.pipeline.rateLimiter.waiting != count { await Task.yield() }
  }

  private static let usedUp: HTTPFields = ["RateLimit": #""default";r=0;t=30"#]

  @Test func `an origin without quota waits until its reset, and others do not`() async throws {
    let stage = stage { $0.path == "/last" ? .response(fields: Self.usedUp) : .response() }
    try await stage.client.send(get("last"))
    let waiting = stage.client.start(get("next"))
    await reachWaiting(1, stage)
    try await stage.client.send(get("other", host: "b.test"))
    await stage.clock.advance(by: .seconds(29))
    #expect(stage.paths == ["/last", "/other"])
    await stage.clock.advance(by: .seconds(1))
    #expect(try await waiting.value.timing.queue == .seconds(30))
    await stage.expectNothingLeft()
  }

  @Test func `a rejected response slows its origin down, by at most the maximum`() async throws {
    let stage = stage(longest: .seconds(5)) {
      $0.index == 0 ? .response(status: 429, fields: ["Retry-After": "100000000"]) : .response()
    }
    await #expect(throws: RequestError.self) { try await stage.client.send(get("busy")) }
    let waiting = stage.client.start(get("next"))
    await reachWaiting(1, stage)
    await stage.clock.advance(by: .seconds(5))
    _ = try await waiting.value
  }

  @Test func `a quota that is smaller than what is in flight makes others wait`() async throws {
    let gate = StubGate()
    let stage = stage {
      $0.index == 0 ? .response(fields: ["RateLimit": #""a";r=3;t=10"#]) : .response().behind(gate)
    }
    let first = stage.client.start(get("0"))
    _ = try await first.value
    let calls = (1...4).map { stage.client.start(get("\($0)")) }
    try await stage.stub.waitForRequests(4)
    await reachWaiting(1, stage)
    await stage.clock.advance(by: .seconds(10))
    try await stage.stub.waitForRequests(5)
    gate.open()
    for call in calls { _ = try await call.value }
  }

  @Test func `a redirect's target slows down only itself`() async throws {
    let stage = stage {
      switch $0.path {
      case "/moved": .response(status: 302, fields: ["Location": "http://evil.test/there"])
      case "/there": .response(fields: Self.usedUp)
      default: .response()
      }
    }
    try await stage.client.send(get("moved"))
    try await stage.client.send(get("next"))
    let waiting = stage.client.start(get("more", host: "evil.test"))
    await reachWaiting(1, stage)
    await stage.clock.advance(by: .seconds(30))
    _ = try await waiting.value
  }

  @Test func `the quota of a key or of a partition concerns no other`() async throws {
    let stage = stage {
      switch $0.path {
      case "/key": .response(fields: Self.usedUp)
      case "/partition": .response(fields: ["RateLimit": #""user";r=0;t=20;pk=:AA==:"#])
      default: .response()
      }
    }
    let limit = RateLimit.unlimited
    try await stage.client.send(get("key").rateLimited(by: "x", limit))
    try await stage.client.send(get("partition").bearer("anna"))
    try await stage.client.send(get("free"))
    try await stage.client.send(get("free").bearer("bert"))
    try await stage.client.send(get("free").rateLimited(by: "y", limit))
    let waiting = [get("k").rateLimited(by: "x", limit), get("p").bearer("anna")].map {
      stage.client.start($0)
    }
    await reachWaiting(2, stage)
    await stage.clock.advance(by: .seconds(20))
    _ = try await waiting[1].value
    await stage.clock.advance(by: .seconds(10))
    _ = try await waiting[0].value
    await stage.expectNothingLeft()
  }

  @Test func `the fields do nothing by default`() async throws {
    let stage = Stage.configured { $0.rateLimits.perOrigin = .unlimited }.responding { _ in
      .response(fields: Self.usedUp)
    }
    for number in 0..<3 { try await stage.client.send(get("\(number)")) }
    #expect(stage.paths.count == 3)
  }
}
