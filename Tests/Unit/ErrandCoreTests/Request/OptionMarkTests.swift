import ErrandTesting
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct OptionMarkTests {
  private final class NoRace: AttemptObserver {
    func isSent(_ request: Request, by racer: HedgeRaceState.Racer) {}
    func responds(_ head: ResponseHead, to request: Request, of racer: HedgeRaceState.Racer) {}
    func claim(_ racer: HedgeRaceState.Racer) -> Bool { true }
  }

  /// An option: the keys that include it, and a closure that sets it.
  private struct Option {
    let keys: OptionMark.Keys
    let set: (inout RequestOptions) -> Void
  }

  private static func option(
    _ keys: OptionMark.Keys, _ set: @escaping (inout RequestOptions) -> Void
  ) -> Option { Option(keys: keys, set: set) }

  /// Every option with its expected mark.
  private static func options(_ call: Call) -> [String: Option] {
    [
      "isUnauthenticated": option(.all) { $0.isUnauthenticated = true },
      "isUnsigned": option(.all) { $0.isUnsigned = true },
      "stages.signing.own": option(.all) { $0.signer = NoSignature(identity: "a") },
      "stages.signing.digests": option(.all) { $0.describe(by: NoSignature(identity: "a")) },
      "stages.bodyCoding": option(.all) { $0.bodyCoding = OnlyItself(NoCoding()) },
      "stages.responseFilters": option(.all) { $0.responseFilters = [OnlyItself(NoFilter())] },
      "stages.identityDigest": option(.all) { $0.identityDigest = "alice" },
      "redirects": option(.responses) { $0.redirects = RedirectPolicy(limit: 3) },
      "timeout": option(.sharing) { $0.timeout = .milliseconds(400) },
      "stages.connectTimeout": option(.sharing) { $0.connectTimeout = .seconds(1) },
      "retry": option(.sharing) { $0.retry = .never },
      "memoryLimit": option(.sharing) { $0.memoryLimit = 99 },
      "compressesBody": option(.sharing) { $0.compressesBody = true },
      "httpVersion": option(.sharing) { $0.httpVersion = .http1 },
      "stages.caching": option(.sharing) { $0.caching?.policy = .networkOnly },
      "deadline": option([]) { $0.deadline = .seconds(99) },
      "priority": option([]) { $0.priority = .background },
      "takesNoSlot": option([]) { $0.takesNoSlot = true },
      "validator.statuses": option([]) { $0.validator.statuses = AcceptedStatuses(200..<405) },
      "validator.contentTypes": option([]) { $0.validator.contentTypes = ["text/plain"] },
      "validator.requiresBody": option([]) { $0.validator.requiresBody = true },
      "validator.checks": option([]) { $0.validator.checks = [ResponseCheck { _ in }] },
      "stages.dependencies": option([]) { $0.dependencies = [call] },
      "stages.activity": option([]) {
        $0.activity = ActivityUse(RequestActivity("x"), text: nil, blocksInput: false)
      },
      "stages.rateRule": option([]) {
        $0.rateRule = RateRule(key: "x", limit: .unlimited)
      },
      "stages.hedging": option([]) { $0.hedging = .p95 },
      "stages.hedgeLeg": option([]) { $0.hedgeLeg = HedgeLeg(race: NoRace(), racer: .first) },
      "stages.heldPass": option([]) {
        var state = RateLimiterState<Int>(ageing: .zero, longestQuota: .zero)
        let limiter = RateLimiter(RateLimits(), ageing: .zero, Timeline(VirtualClock()))
        let pass = state.passAtOnce(RateSubject(origin: "a"), at: .zero).0
        $0.heldPass = pass.map { OnlyItself(HeldPass($0, of: limiter)) }
      },
      "stages.invalidated": option([]) { $0.invalidated = ["x"] },
      "stages.networkRule": option(.sharing) { $0.networkRule = NetworkRule(Online(), within: .seconds(1)) },
      "stages.repeats": option([]) { $0.repeats = $0.repeats.map { .sharing(fields: $0.fields + ["X"]) } },
      "stages.signing.pass": option([]) { $0.signingPass = SigningPass() },
      "stages.credential": option([]) {
        let request = Request.get("http://a.test/")
        $0.credential = AttachedCredential(request, request, at: []) { $0 }
      },
      "stages.trace": option([]) { $0.trace = TraceContext() },
      "stages.usesHTTPCache": option(.sharing) { $0.usesHTTPCache = true },
      "stages.isUndecoded": option([.responses, .exchange]) { $0.isUndecoded = true },
      "stages.forwardRecord": option([]) {
        $0.forwardRecord = OnlyItself(
          ForwardRecord(.get("http://a.test/"), isConditional: false, followed: 0))
      },
    ]
  }

  private func call() async -> Call {
    let call = Client(transport: StubTransport { _ in .response() }).start(.get("http://a.test/"))
    _ = await call.result
    return call
  }

  @Test func `every option of a request has one mark, and every mark has an option`() async {
    var options = Request.get("http://a.test/").cached(as: "a").options
    options.timeout = .seconds(1)
    #expect(options.names.sorted() == OptionMark.all.map(\.name).sorted())
    #expect(options.names.sorted() == Self.options(await call()).keys.sorted())
    for mark in OptionMark.all { #expect(mark.keys == .all || mark.otherwise != nil, "\(mark.name)") }
  }

  @Test func `an option is part of exactly the keys that its mark names`() async throws {
    let options = Self.options(await call())
    for (name, option) in options {
      let mark = try #require(OptionMark.all.first { $0.name == name })
      #expect(mark.keys == option.keys, "\(name)")
      let plain = Request.get("http://a.test/").cached(as: "a").shared().options
      var changed = plain
      option.set(&changed)
      #expect(changed != plain, "\(name) is not set")
      for key in [OptionMark.Keys.repeats, .sharing, .caching, .exchange] {
        let differs =
          plain.parts(of: key, OptionMark.Usual()) != changed.parts(of: key, OptionMark.Usual())
        #expect(differs == option.keys.contains(key), "\(name), \(key)")
      }
    }
  }

  @Test func `requests that differ in a part of a key do not share a response, and all others do`()
    async throws
  {
    let stage = Stage.configured { $0.authentication = .bearer("alice", at: [Self.origin]) }
      .responding { .response(fields: ["Content-Type": "text/plain"], body: "\($0.index)") }
    for (name, option) in Self.options(await call()) where !["stages.repeats", "isUnsigned"].contains(name) {
      // A body with the coding `NoCoding` cannot be sent.
      for key in [OptionMark.Keys.sharing, .caching] where name != "stages.bodyCoding" {
        // The caching policy itself decides whether a cached response is used.
        if name == "stages.caching", key == .caching { continue }
        let url = "http://a.test/\(name)/\(key.rawValue)"
        var plain = Request.get(url)
        if key == .sharing { plain = plain.shared(within: .seconds(9)) }
        if key == .caching || name == "stages.caching" { plain = plain.cached(as: url) }
        var changed = plain
        option.set(&changed.options)
        let first = try await stage.client.send(plain).text
        // A response that was cached for an identity is not returned for the client's identity.
        let second = try? await stage.client.send(changed).text
        #expect((first == second) == !option.keys.contains(key), "\(name) \(key)")
      }
    }
    await stage.settle()
  }

  private static let origin = URL(string: "http://a.test")!

  @Test func `every property of a policy is in its part of the key`() {
    func parts(_ change: (inout RequestOptions) -> Void) -> [String] {
      var options = Request.get("http://a.test/").options
      (options.retry, options.redirects) = (RetryPolicy(), RedirectPolicy())
      change(&options)
      return options.parts(of: .sharing, OptionMark.Usual())
    }
    let changes: [(String, (inout RequestOptions) -> Void)] = [
      ("maxAttempts", { $0.retry?.maxAttempts = 9 }), ("methods", { $0.retry?.methods.insert(.post) }),
      ("statuses", { $0.retry?.statuses.insert(409) }),
      ("failures", { $0.retry?.failures.insert(.tlsFailed) }),
      ("backoff", { $0.retry?.backoff = .zero }), ("maxBackoff", { $0.retry?.maxBackoff = .zero }),
      ("maxRetryAfter", { $0.retry?.maxRetryAfter = .zero }), ("limit", { $0.redirects?.limit = 1 }),
      ("allowsDowngrade", { $0.redirects?.allowsDowngrade = true }),
      ("allowsOtherOrigins", { $0.redirects?.allowsOtherOrigins = false }),
      ("allowsChangeOfMethod", { $0.redirects?.allowsChangeOfMethod = false }),
    ]
    let properties = [Mirror(reflecting: RetryPolicy()), Mirror(reflecting: RedirectPolicy())]
      .flatMap { $0.children.compactMap(\.label) }
    #expect(properties.sorted() == changes.map(\.0).sorted())
    let texts = [parts { _ in }] + changes.map { parts($0.1) }
    #expect(Set(texts).count == texts.count)
    // The order of a set is random.
    for _ in 0..<20 {
      #expect(parts { $0.retry?.methods = Set(RetryPolicy().methods.shuffled()) } == texts[0])
    }
  }

  @Test func `a cached response that exceeds a caller's memory limit is not returned to that caller`()
    async throws
  {
    let stage = Stage { .response(body: $0.index == 0 ? "0123456789" : "short") }
    let request = Request.get("http://a.test/").cached(as: "a")
    #expect(try await stage.client.send(request).text == "0123456789")
    #expect(try await stage.client.send(request.memoryLimit(10)).text == "0123456789")
    #expect(try await stage.client.send(request.memoryLimit(9)).text == "short")
  }
}

private struct Online: NetworkGate {
  var mayBeOnline: Bool { true }
  func waitUntilOnline() async {}
}
