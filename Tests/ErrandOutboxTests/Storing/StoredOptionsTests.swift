import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct StoredOptionsTests {
  private let lab: StorageLab

  init() throws { lab = try StorageLab() }

  @Test func `what was set comes back as it was set`() async throws {
    var policy = RetryPolicy.tries(7)
    policy.methods = [.post, "PURGE"]
    policy.statuses = [500, 599]
    policy.failures = [.timedOut, .badEncoding]
    policy.backoff = .milliseconds(1)
    policy.maxBackoff = .seconds(100)
    policy.maxRetryAfter = .nanoseconds(5)
    let request = Request.get("https://example.com").timeout(.milliseconds(1500)).retry(policy)
      .accepting(200..<404).expecting(contentType: "a/b", "image/*").expectingBody().memoryLimit(12)
      .compressed()
      .httpVersion(.http2).priority(.utility)
    let found = try lab.request(await lab.row(request))
    #expect(found.options == request.options)
  }

  @Test func `what was not set stays as it is by default`() async throws {
    let found = try lab.request(await lab.row(.get("https://example.com")))
    #expect(found.options == Request.get("https://example.com").options)
  }

  @Test func `a deadline is how long it may take to be delivered, not to be tried`() async throws {
    let request = Request.get("https://example.com").deadline(.seconds(60))
    let row = try await lab.row(request)
    #expect(row.lifetime == .seconds(60))
    #expect(try lab.request(row).options.deadline == nil)
    var draft = RowDraft(id: .new(), request: request, key: UUID())
    draft.lifetime = .seconds(5)
    let rows = try await lab.storage().store([draft], used: { _ in [] }, commit: { $0 })
    #expect(rows[0].lifetime == .seconds(5))
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(-3), -3_000_000_000), (.seconds(Int64.max), .max),
      (.seconds(Int64.min), .min), (.seconds(9_223_372_036) + .nanoseconds(999_999_999), .max),
    ] as [(Duration, Int64)])
  func `a duration too long for nanoseconds is cut, not a crash`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}
