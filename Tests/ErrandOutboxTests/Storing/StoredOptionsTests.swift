import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct StoredOptionsTests {
  private let lab: StorageLab

  init() throws { lab = try StorageLab() }

  @Test func `what was set comes back as it was set`() async throws {
    var redirects = RedirectPolicy(limit: 3, allowsDowngrade: true)
    redirects.allowsOtherOrigins = false
    redirects.allowsChangeOfMethod = false
    let request = Request.get("https://example.com").timeout(.milliseconds(1500))
      .accepting(200..<404).expecting(contentType: "a/b", "image/*").expectingBody().memoryLimit(12)
      .compressed()
      .httpVersion(.http2).priority(.utility).redirects(redirects)
    let found = try lab.request(await lab.row(request))
    #expect(found.options == request.options)
  }

  @Test func `every option there is has been thought of`() {
    // Whoever adds one says here what becomes of it: kept by `StoredOptions`, or refused by `checkStorable`.
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

  @Test func `its own retries are those of one call: an outbox has rules of its own`() async throws {
    let row = try await lab.row(Request.get("https://example.com").tries(7))
    #expect(try lab.request(row).options.retry == nil)
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
    var draft = RowDraft(id: .new(), request: request, key: UUID().uuidString)
    draft.lifetime = .seconds(5)
    let rows = try await lab.storage().store([draft], used: { Set($0) }, commit: { $0 })
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
