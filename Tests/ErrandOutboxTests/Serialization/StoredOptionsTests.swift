import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct StoredOptionsTests {
  private let harness: StorageHarness

  init() throws { harness = try StorageHarness() }

  @Test func `options that were set come back as they were set`() async throws {
    var redirects = RedirectPolicy(limit: 3, allowsDowngrade: true)
    redirects.allowsOtherOrigins = false
    redirects.allowsChangeOfMethod = false
    let request = Request.get("https://example.com").timeout(.milliseconds(1500))
      .accepting(200..<404).expecting(contentType: "a/b", "image/*").expectingBody().memoryLimit(12)
      .compressed()
      .httpVersion(.http2).priority(.utility).redirects(redirects)
    let found = try harness.request(await harness.row(request))
    #expect(found.options == request.options)
  }

  @Test func `every option of a request is accounted for`() {
    // A new option must be listed here: stored by `StoredOptions`, or refused by `checkStorable`.
    let kept = [
      "timeout", "validator", "memoryLimit", "compressesBody", "httpVersion", "redirects",
      "priority",
    ]
    // The outbox itself sets `takesNoSlot` for each attempt.
    let apart = ["deadline", "retry", "stages", "takesNoSlot"]
    let options = Mirror(reflecting: Request.get("https://example.com").options).children.compactMap(\.label)
    #expect(Set(options) == Set(kept + apart))
    let validator = Mirror(reflecting: ResponseValidator()).children.compactMap(\.label)
    #expect(Set(validator) == ["statuses", "contentTypes", "requiresBody", "checks"])
    let redirects = Mirror(reflecting: RedirectPolicy()).children.compactMap(\.label)
    let storedRedirects = Mirror(reflecting: StoredRedirectPolicy(RedirectPolicy())).children.compactMap(
      \.label)
    #expect(Set(redirects) == Set(storedRedirects))
  }

  @Test func `a request's retry policy is not stored: an outbox has rules of its own`() async throws {
    let row = try await harness.row(Request.get("https://example.com").attempts(7))
    #expect(try harness.request(row).options.retry == nil)
  }

  @Test func `options that were not set keep their defaults`() async throws {
    let found = try harness.request(await harness.row(.get("https://example.com")))
    #expect(found.options == Request.get("https://example.com").options)
  }

  @Test func `a deadline limits the time until delivery, not an attempt`() async throws {
    let request = Request.get("https://example.com").deadline(.seconds(60))
    let row = try await harness.row(request)
    #expect(row.lifetime == .seconds(60))
    #expect(try harness.request(row).options.deadline == nil)
    var item = OutboxItem(id: .new(), request: request, key: UUID().uuidString)
    item.expires = .seconds(5)
    let rows = try await harness.storage().store([item], used: { Set($0) }, commit: { $0 })
    #expect(rows[0].lifetime == .seconds(5))
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(-3), -3_000_000_000), (.seconds(Int64.max), .max),
      (.seconds(Int64.min), .min), (.seconds(9_223_372_036) + .nanoseconds(999_999_999), .max),
    ] as [(Duration, Int64)])
  func `a duration too long for nanoseconds is clamped, not a crash`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}
