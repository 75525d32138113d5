import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct RetryStateTests {
  private let noon = Date(timeIntervalSince1970: 784_111_777)

  private func failure(
    _ code: RequestError.Code, reached: Bool = true, status: Int? = nil, retryAfter: String? = nil
  ) -> RetryState.Failure {
    var fields = HTTPFields()
    if let retryAfter { fields["Retry-After"] = retryAfter }
    return RetryState.Failure(
      RequestError(
        code, message: "", status: status.map { HTTPStatus($0) }, fields: fields, reachedServer: reached,
        rejection: status.map { .status(HTTPStatus($0), expected: .success) }))
  }

  private func state(
    _ method: HTTPMethod = .get, key: Bool = false, replayable: Bool = true,
    policy: RetryPolicy = RetryPolicy()
  ) -> RetryState {
    var state = RetryState(
      policy: policy, method: method, hasIdempotencyKey: key, isReplayable: replayable)
    state.attempts += 1
    return state
  }

  private func decide(_ state: RetryState, _ failure: RetryState.Failure, remaining: Duration? = nil)
    -> RetryState.Decision
  {
    var random = SeededRandom(seed: 1)
    return state.decide(after: failure, remaining: remaining, date: noon, random: &random)
  }

  @Test(arguments: [HTTPMethod.get, .head, .put, .delete, .options, .trace])
  func `an idempotent method is retried even if the server may have seen it`(method: HTTPMethod) {
    #expect(state(method).mayRetry(failure(.timedOut)))
    #expect(state(method).mayRetry(failure(.connectionLost)))
    #expect(state(method).mayRetry(failure(.rejected, status: 503)))
  }

  @Test(arguments: [HTTPMethod.post, .patch, "PURGE"])
  func `any other method is retried only if nothing reached the server or if it has an idempotency key`(
    method: HTTPMethod
  ) {
    for code in [RequestError.Code.timedOut, .connectionLost] {
      #expect(!state(method).mayRetry(failure(code)))
      #expect(state(method).mayRetry(failure(code, reached: false)))
      #expect(state(method, key: true).mayRetry(failure(code)))
    }
    #expect(!state(method).mayRetry(failure(.rejected, status: 503)))
    #expect(state(method, key: true).mayRetry(failure(.rejected, status: 503)))
  }

  @Test func `the table defines which statuses and failures are retried`() {
    for status in 400..<600 {
      let expected = [408, 425, 429, 500, 502, 503, 504].contains(status)
      #expect(state().mayRetry(failure(.rejected, status: status)) == expected)
    }
    let never: [RequestError.Code] = [
      .invalidRequest, .cancelled, .deadlineExceeded, .untrustedCertificate, .pinMismatch, .tlsFailed,
      .badEncoding, .bodyTooLarge, .fieldsTooLarge, .tooManyRedirects, .redirectRefused, .rejected,
      .decodingFailed, .fileUnreadable, .fileChanged, .fileUnwritable, .unsupported,
    ]
    for code in never { #expect(!state().mayRetry(failure(code, reached: false))) }
  }

  @Test func `a body that cannot be read again is not sent again`() {
    #expect(!state(.put, replayable: false).mayRetry(failure(.cannotConnect, reached: false)))
  }

  @Test func `the number of attempts is limited`() {
    var state = state(policy: .attempts(3))
    #expect(state.mayRetry(failure(.timedOut)))
    state.attempts += 1
    #expect(state.mayRetry(failure(.timedOut)))
    state.attempts += 1
    #expect(!state.mayRetry(failure(.timedOut)))
    #expect(!self.state(policy: .never).mayRetry(failure(.timedOut)))
  }

  @Test(.computesLong) func `waits are spread over a whole range whose maximum doubles up to its limit`() {
    var policy = RetryPolicy.attempts(100)
    policy.backoff = .seconds(1)
    policy.maxBackoff = .seconds(5)
    var state = RetryState(policy: policy, method: .get, hasIdempotencyKey: false, isReplayable: true)
    var random = SeededRandom(seed: 7)
    for ceiling in [1.0, 2, 4, 5, 5, 5] {
      state.attempts += 1
      let waits = (0..<2000).map { _ -> Double in
        guard
          case .retry(let wait) = state.decide(
            after: failure(.timedOut), remaining: nil, date: noon, random: &random)
        else { return -1 }
        return wait.seconds
      }
      #expect(waits.allSatisfy { 0...ceiling ~= $0 })
      #expect(waits.min()! < ceiling * 0.05)
      #expect(waits.max()! > ceiling * 0.95)
      #expect(abs(waits.reduce(0, +) / 2000 - ceiling / 2) < ceiling * 0.05)
    }
  }

  @Test func `the backoff does not overflow for any number of attempts`() {
    var policy = RetryPolicy.attempts(.max)
    policy.maxBackoff = .seconds(5)
    var state = RetryState(policy: policy, method: .get, hasIdempotencyKey: false, isReplayable: true)
    for _ in 0..<10_000 { state.attempts += 1 }
    guard case .retry(let wait) = decide(state, failure(.timedOut)) else {
      Issue.record("gave up")
      return
    }
    #expect(wait <= .seconds(5))
  }

  @Test(arguments: [
    ("3", 3), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("60", 60), ("0", 0), ("2.0", 2), ("1.5", 2),
    ("0.01", 1),
    (" 7\t", 7), ("007", 7), ("3.", 3), ("2, 5,3", 5), ("Sun, 06 Nov 1994 08:49:47 UTC", 10),
    ("Sun, 06 Nov 1994 08:49:47 +0000", 10), ("Sun, 06 Nov 1994 08:49:47 -0000", 10),
    ("Sun, 06 Nov 1994 09:49:47 +0100", 10), ("Sun, 06 Nov 1994 03:19:47 -0530", 10),
    ("Sunday, 06-Nov-94 08:49:47 utc", 10), ("Sun Nov  6 08:49:47 1994", 10),
    ("Sun, 06 Nov 1994 08:49:07 GMT", 0),
  ])
  func `Retry-After is accepted in all forms, and rounded up`(value: String, seconds: Int) {
    var policy = RetryPolicy()
    policy.backoff = .zero
    #expect(
      decide(state(policy: policy), failure(.rejected, status: 503, retryAfter: value))
        == .retry(after: .seconds(seconds)))
  }

  @Test(arguments: [
    "", "soon", "-1", "-1.5", "+3", ".5", "1e30", "0x3", "1,5,", "3;", "1.5.2", "\u{663}", "NaN", "inf",
    "Sun, 32 Nov 1994 08:49:47 GMT", "Sun, 06 Nov 1994 08:49:47 CET", "Sun, 06 Nov 1994 08:49:47 +2500",
    "Sun, 06 Nov 1994 08:49:47 +0060", "Sun, 06 Nov 1994 08:49:47 0000", "Sun, 06 Nov 1994 08:49:47",
  ])
  func `an invalid Retry-After is ignored`(value: String) {
    var policy = RetryPolicy()
    policy.backoff = .zero
    #expect(
      decide(state(policy: policy), failure(.rejected, status: 503, retryAfter: value))
        == .retry(after: .zero))
  }

  @Test(arguments: [
    String(repeating: "9", count: 40), "1\(String(repeating: "0", count: 30))",
    "9\(String(repeating: "9", count: 18)).9",
    "1, 1\(String(repeating: "0", count: 30))", "Fri, 31 Dec 9999 23:59:59 GMT",
  ])
  func `a Retry-After beyond the range of integers is a long wait, and does not crash`(value: String) throws {
    let wait = try #require(RetryAfter(value)).wait(from: noon)
    #expect(wait > .seconds(1 << 30))
    #expect(
      decide(state(), failure(.rejected, status: 503, retryAfter: value))
        == .asksForMore(than: .seconds(60), isDeadline: false))
  }

  @Test func `a date counts as reached not even a moment too early`() throws {
    let date = try #require(RetryAfter("Sun, 06 Nov 1994 08:49:38 GMT"))
    #expect(date.wait(from: noon.addingTimeInterval(0.9995)) == .milliseconds(1))
    #expect(date.wait(from: noon.addingTimeInterval(1)) == .zero)
    #expect(date.wait(from: noon.addingTimeInterval(1000)) == .zero)
  }

  @Test func `the latest of several Retry-After lines counts`() {
    func found(_ values: String...) -> RetryAfter? {
      var fields = HTTPFields()
      for value in values { fields.append("Retry-After", value) }
      return RetryAfter(of: fields)
    }
    #expect(found("3", "9", "4") == .delay(seconds: 9))
    #expect(found("3", "soon") == .delay(seconds: 3))
    #expect(
      found("3", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:47 GMT")
        == .date(noon.addingTimeInterval(10)))
    #expect(found() == nil && found("-1") == nil)
  }

  @Test func `a requested wait beyond the limit is not shortened`() {
    let busy = failure(.rejected, status: 503, retryAfter: "61")
    #expect(decide(state(), busy) == .asksForMore(than: .seconds(60), isDeadline: false))
    #expect(decide(state(.post), busy) == .giveUp)
    var policy = RetryPolicy()
    policy.maxRetryAfter = .seconds(61)
    #expect(decide(state(policy: policy), busy) == .retry(after: .seconds(61)))
  }

  @Test func `no wait passes the deadline`() {
    let busy = failure(.rejected, status: 503, retryAfter: "10")
    #expect(
      decide(state(), busy, remaining: .seconds(10)) == .asksForMore(than: .seconds(10), isDeadline: true))
    #expect(decide(state(), failure(.timedOut), remaining: .zero) == .giveUp)
    #expect(decide(state(), busy, remaining: .seconds(11)) == .retry(after: .seconds(10)))
  }

  @Test func `HTTP's three date formats have the same meaning`() {
    for text in [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ] {
      #expect(HTTPDate.parse(text) == noon)
    }
    #expect(HTTPDate.parse("Thu, 29 Feb 2024 00:00:00 GMT")?.timeIntervalSince1970 == 1_709_164_800)
    #expect(HTTPDate.parse("Thu, 01 Jan 1970 00:00:00 GMT")?.timeIntervalSince1970 == 0)
    #expect(HTTPDate.parse("06 Nov 1994") == nil)
  }
}
