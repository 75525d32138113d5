import ErrandCurl
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

@Suite struct StoredOptionsTests {
  private let harness: StorageHarness

  init() throws { harness = try StorageHarness() }

  @Test func `explicit options are restored unchanged`() async throws {
    var redirects = RedirectPolicy(limit: 3, allowsDowngrade: true)
    redirects.allowsOtherOrigins = false
    redirects.allowsChangeOfMethod = false
    let request = Request.get("https://example.com").timeout(.milliseconds(1500))
      .accepting(200..<404).expecting(contentType: "a/b", "image/*").expectingBody().memoryLimit(12)
      .compressed()
      .httpVersion(.http2).priority(.utility).redirects(redirects).unauthenticated().unsigned()
    let found = try harness.request(await harness.row(request))
    #expect(found.options == request.options)
  }

  private final class NoRace: AttemptObserver {
    func isSent(_ request: Request, by racer: HedgeRaceState.Racer) {}
    func responds(_ head: ResponseHead, to request: Request, of racer: HedgeRaceState.Racer) {}
    func claim(_ racer: HedgeRaceState.Racer) -> Bool { true }
  }

  /// The fate of an option when its request is stored.
  private enum Fate: Equatable {
    /// It is restored unchanged.
    case stored
    /// The request is refused.
    case refused
    /// It is restored unset, because it has no meaning for a stored request.
    case dropped(because: String)
  }

  /// Each option of a request, its fate, and a request that has it. An option that is missing here may be
  /// missing in `StoredOptions` or `checkStorable`, too.
  private func options(of call: Call) -> [String: (Fate, Request)] {
    let plain = Request.get("https://example.com")
    var withoutSlot = plain
    withoutSlot.options.takesNoSlot = true
    var ofAlice = plain
    ofAlice.options.identityDigest = "alice"
    var traced = plain
    traced.options.trace = TraceContext()
    var renewing = plain
    renewing.options.credential = AttachedCredential(renewing, renewing, at: []) { $0 }
    var recorded = plain
    recorded.options.forwardRecord = OnlyItself(ForwardRecord(plain, isConditional: false, followed: 0))
    var (described, passed) = (plain, plain)
    described.options.describe(by: NoSignature())
    passed.options.signingPass = SigningPass()
    var racing = plain
    racing.options.hedgeLeg = HedgeLeg(race: NoRace(), racer: .first)
    var limits = RateLimiterState<Int>(ageing: .zero, longestQuota: .zero)
    let limiter = RateLimiter(RateLimits(), ageing: .zero, Timeline(ContinuousClock()))
    let pass = limits.passAtOnce(RateSubject(origin: "a"), at: .zero).0
    var limited = plain
    limited.options.heldPass = pass.map { OnlyItself(HeldPass($0, of: limiter)) }
    return [
      "timeout": (.stored, plain.timeout(.milliseconds(1500))),
      "stages.connectTimeout": (.stored, plain.connectTimeout(.milliseconds(1500))),
      "deadline": (.stored, plain.deadline(.seconds(60))),
      "retry": (.dropped(because: "an outbox has its own policy"), plain.attempts(7)),
      "validator.statuses": (.stored, plain.accepting(200, 201, 404)),
      "validator.contentTypes": (.stored, plain.expecting(contentType: "a/b", "image/*")),
      "validator.requiresBody": (.stored, plain.expectingBody()),
      "validator.checks": (.refused, plain.validate { _ in }),
      "memoryLimit": (.stored, plain.memoryLimit(12)),
      "compressesBody": (.stored, plain.compressed()),
      "httpVersion": (.stored, plain.httpVersion(.http2)),
      "redirects": (.stored, plain.redirects(RedirectPolicy(limit: 3, allowsDowngrade: true))),
      "priority": (.stored, plain.priority(.utility)),
      "isUnauthenticated": (.stored, plain.unauthenticated()),
      "isUnsigned": (.stored, plain.unsigned()),
      "takesNoSlot": (.dropped(because: "an outbox sets it for each attempt"), withoutSlot),
      "stages.trace": (.stored, traced),
      "stages.dependencies": (.refused, plain.after(call)),
      "stages.activity": (
        .dropped(because: "only this process shows it"), plain.activity(RequestActivity("x"))
      ),
      "stages.repeats": (.refused, plain.shared()),
      "stages.rateRule": (.refused, plain.rateLimited(by: "a", .unlimited)),
      "stages.invalidated": (.refused, plain.invalidating("a")),
      "stages.networkRule": (.refused, plain.waiting(for: NetworkRule(NoNetwork(), within: .zero))),
      "stages.hedging": (.refused, plain.hedged(after: .p95)),
      "stages.hedgeLeg": (.dropped(because: "each attempt has its own"), racing),
      "stages.heldPass": (.dropped(because: "each attempt has its own"), limited),
      "stages.caching": (.refused, plain.cached(as: "a")),
      "stages.usesHTTPCache": (.refused, plain.cached()),
      "stages.forwardRecord": (.dropped(because: "the cache makes it anew"), recorded),
      "stages.isUndecoded": (.dropped(because: "nobody reads the body"), plain.undecoded()),
      "stages.signing.own": (.refused, plain.signed(by: NoSignature())),
      "stages.signing.digests": (.refused, described),
      "stages.signing.pass": (.dropped(because: "each attempt has its own"), passed),
      "stages.bodyCoding": (.refused, plain.coded(in: NoCoding())),
      "stages.responseFilters": (.refused, plain.filtered(by: NoFilter())),
      "stages.identityDigest": (.stored, ofAlice),
      "stages.credential": (.dropped(because: "each attempt has its own"), renewing),
    ]
  }

  @Test func `every option of a request is stored, refused, or dropped for a reason`() async throws {
    let call = Client(transport: CurlTransport()).start(.get("not a url"))
    _ = await call.result
    let options = options(of: call)
    // An activity, because the box of rare options is missing in a request that has none of them.
    let all = Request.get("https://example.com").activity(RequestActivity("x")).options.names
    #expect(all.sorted() == options.keys.sorted())
    for (name, (fate, request)) in options {
      #expect(request.options != RequestOptions(), "\(name) is not set")
      do {
        let found = try harness.request(await harness.row(request)).options
        #expect(found == (fate == .stored ? request.options : RequestOptions()), "\(name)")
        #expect(fate != .refused, "\(name)")
      } catch let error as OutboxError {
        #expect(error.code == .notStorable && fate == .refused, "\(name): \(error)")
      }
    }
    let redirects = Mirror(reflecting: RedirectPolicy()).children.compactMap(\.label)
    let stored = Mirror(reflecting: StoredRedirectPolicy(RedirectPolicy())).children.compactMap(\.label)
    #expect(Set(redirects) == Set(stored))
  }

  @Test func `a request's retry policy is not stored, because an outbox has its own rules`() async throws {
    let row = try await harness.row(Request.get("https://example.com").attempts(7))
    #expect(try harness.request(row).options.retry == nil)
  }

  @Test func `options that were not set keep their defaults`() async throws {
    let found = try harness.request(await harness.row(.get("https://example.com")))
    #expect(found.options == Request.get("https://example.com").options)
  }

  @Test func `a deadline limits an attempt, and not the time until delivery`() async throws {
    let request = Request.get("https://example.com").deadline(.seconds(60))
    let row = try await harness.row(request)
    #expect(row.expiry == nil)
    #expect(try harness.request(row).options.deadline == .seconds(60))
    var item = OutboxItem(id: .new(), request: request, key: UUID().uuidString)
    item.expires = .seconds(5)
    let rows = try await harness.storage().store([item], used: { Set($0) }, commit: { $0 })
    #expect(rows[0].expiry == .after(.seconds(5)))
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(-3), -3_000_000_000), (.seconds(Int64.max), .max),
      (.seconds(Int64.min), .min), (.seconds(9_223_372_036) + .nanoseconds(999_999_999), .max),
    ] as [(Duration, Int64)])
  func `a duration that is too long for nanoseconds is clamped, and does not crash`(
    duration: Duration, nanoseconds: Int64
  ) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}

private struct NoNetwork: NetworkGate {
  var mayBeOnline: Bool { false }
  func waitUntilOnline() async {}
}
