import ErrandTesting
import ErrandUploads
import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

struct RetryRuleTests {
  private let date = Date(timeIntervalSince1970: 1_800_000_000)
  private var policy = DeliveryPolicy()

  private func conclusion(
    _ error: any Error, of request: Request = .post("https://example.com/"), number: Int = 1,
    counted: Int = 1,
    seed: UInt64 = 1, isRefusedAlone: Bool = false
  ) -> RetryRule.Conclusion {
    var random = SeededRandom(seed: seed)
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    let attempt = DeliveryAttempt(
      request: request, number: number, result: .failure(error))
    return rule.conclusion(
      on: attempt, counted: counted, isRefusedAlone: isRefusedAlone, date: date, random: &random)
  }

  private func rejected(_ status: Int, _ fields: HTTPFields = [:], body: Data = Data()) -> RequestError {
    RequestError.Rejection.status(HTTPStatus(status), expected: .success)
      .error(HTTPStatus(status), fields, bodyPrefix: body)
  }

  private func wait(_ conclusion: RetryRule.Conclusion) -> Duration? {
    if case .failed(_, let next, _, _) = conclusion.outcome { next } else { nil }
  }

  private let noWay = RequestError(.cannotConnect, message: "refused", reachedServer: false)

  @Test(arguments: 1...20)
  func `a retry waits with full jitter, doubling up to an hour`(number: Int) throws {
    let most = min(3600, Double(1 << (number - 1)))
    var waits: [Duration] = []
    for seed in 1...200 {
      waits.append(try #require(wait(conclusion(rejected(503), number: number, seed: UInt64(seed)))))
    }
    #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(most) })
    #expect(try #require(waits.max()) > .seconds(most * 0.9))
    #expect(try #require(waits.min()) < .seconds(most * 0.1))
  }

  @Test func `only a retry takes random numbers, which cost a system call`() throws {
    struct Counting: RandomNumberGenerator {
      var count = 0
      mutating func next() -> UInt64 {
        count += 1
        return UInt64(count)
      }
    }
    func numbers(_ result: Result<Response, any Error>) -> Int {
      var random = Counting()
      let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
      let attempt = DeliveryAttempt(request: .post("https://example.com/"), number: 1, result: result)
      _ = rule.conclusion(on: attempt, counted: 1, date: date, random: &random)
      return random.count
    }
    #expect(
      try numbers(.success(Response(status: 200, url: #require(URL(string: "https://example.com/"))))) == 0)
    #expect(numbers(.failure(rejected(422))) == 0)
    #expect(numbers(.failure(rejected(503))) > 0)
  }

  @Test func `a huge number of attempts does not overflow the backoff`() {
    #expect(wait(conclusion(rejected(503), number: .max)).map { $0 <= .seconds(3600) } == true)
  }

  @Test func `Retry-After is obeyed in both forms, up to a day`() {
    #expect(wait(conclusion(rejected(503, ["Retry-After": "7200"]))) == .seconds(7200))
    #expect(wait(conclusion(rejected(429, ["Retry-After": "999999999"]))) == .seconds(86_400))
    let later = wait(conclusion(rejected(503, ["Retry-After": "Fri, 15 Jan 2027 09:00:00 GMT"])))
    #expect(later == .seconds(3600))
  }

  @Test func `an unreachable server is retried within the poll interval, and that does not count`() {
    for seed in 1...100 {
      let conclusion = conclusion(noWay, number: 30, counted: 1000, seed: UInt64(seed))
      guard case .failed(_, let next, let counts, let wasOffline) = conclusion.outcome else {
        Issue.record("\(conclusion)")
        return
      }
      #expect(next <= .seconds(60) && !counts && wasOffline && conclusion.hasReached == false)
    }
  }

  @Test(arguments: [RequestError.Code.proxyAuthenticationFailed, .invalidConfiguration])
  func `a misconfigured client does not count against its requests`(code: RequestError.Code) {
    let error = RequestError(code, message: "no", reachedServer: false)
    guard case .failed(_, _, let counts, _) = conclusion(error, number: 30, counted: 1000).outcome else {
      Issue.record("it is a dead letter")
      return
    }
    #expect(!counts)
  }

  @Test func `a host without a public address counts as an attempt, and waits grow`() {
    let error = RequestError(.addressRefused, message: "no", reachedServer: false)
    var longest = Duration.zero
    for seed in 1...100 {
      guard
        case .failed(_, let next, let counts, _) = conclusion(error, number: 30, seed: UInt64(seed)).outcome
      else {
        Issue.record("it is a dead letter")
        return
      }
      #expect(counts)
      longest = max(longest, next)
    }
    #expect(longest > .seconds(60))
  }

  @Test mutating func `a request is refused after its maximum of counted attempts, with the last reason`() {
    policy.maxAttempts = 3
    #expect(wait(conclusion(rejected(503), number: 9, counted: 2)) != nil)
    guard case .rejected(let reason, let response) = conclusion(rejected(503), number: 9, counted: 3).outcome
    else {
      Issue.record("it is still in progress")
      return
    }
    #expect(reason == "attempted 3 times; the server responded with 503 Service Unavailable")
    #expect(response?.status == HTTPStatus(503))
  }

  @Test func `a refusal stores the response, its body up to a limit, and no cookies`() {
    let error = rejected(
      400, ["Set-Cookie": "a=b", "Content-Type": "text/plain"], body: Data(repeating: 65, count: 300))
    guard case .rejected(_, let response?) = conclusion(error).outcome else {
      Issue.record("it is still in progress")
      return
    }
    #expect(response.status == HTTPStatus(400))
    #expect(response.fields == ["Content-Type": "text/plain"])
    #expect(response.body.count == 100 && !response.isWhole)
  }

  @Test func `an attempt that this process ended does not count, and is soon repeated`() throws {
    var waits: Set<Duration> = []
    for seed in 1...50 {
      for error: any Error in [
        CancellationError(), RequestError(.clientShutDown, attempt: 1, reachedServer: false),
      ] {
        let conclusion = conclusion(error, number: 5, seed: UInt64(seed))
        waits.insert(try #require(wait(conclusion)))
        #expect(conclusion.hasReached == nil && conclusion.sign == .none)
        guard case .failed(_, let next, false, false) = conclusion.outcome else {
          Issue.record("\(conclusion)")
          continue
        }
        #expect(next <= .seconds(5))
      }
    }
    #expect(waits.count > 40)
  }

  @Test mutating func `a conflict is tried five times, unless an earlier attempt is in progress`() {
    func isRejected(_ conclusion: RetryRule.Conclusion) -> Bool {
      if case .rejected = conclusion.outcome { true } else { false }
    }
    #expect(!isRejected(conclusion(rejected(409), counted: 4)))
    #expect(isRejected(conclusion(rejected(409), counted: 5)))
    let inProgress = rejected(
      409, body: Data(#"{"title":"A request with this Idempotency-Key is outstanding"}"#.utf8))
    #expect(!isRejected(conclusion(inProgress, counted: 99)))
    #expect(isRejected(conclusion(inProgress, counted: 100)))
    policy.maxAttempts = 3
    #expect(isRejected(conclusion(rejected(409), counted: 3)))
  }

  @Test mutating func `a request is given up some time after it was stored, at its next failure`() {
    policy.giveUpAfter = .seconds(3600)
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    let lost = RequestError(.connectionLost, message: "lost", reachedServer: true)
    func outcome(_ age: Double, _ error: RequestError) -> AttemptOutcome<OutboxResponse> {
      var random = SeededRandom(seed: 1)
      let attempt = DeliveryAttempt(
        request: .get("http://a.test"), number: 1, result: .failure(error), storedAt: date - age)
      return rule.conclusion(on: attempt, counted: 1, date: date, random: &random).outcome
    }
    guard case .failed = outcome(3599, lost), case .failed = outcome(9999, Self.ofStore) else {
      Issue.record("It was given up too early.")
      return
    }
    #expect(outcome(3600, lost) == .rejected(reason: "not delivered within 3600 s; lost", response: nil))
  }

  private static let ofStore = RequestError.unreadableStoredFile(
    "body", StoreAway(.store, "no answer"), reachedServer: true)

  @Test func `a failure of the store or of this process is not passed to classify, and ends no request`()
    throws
  {
    var policy = DeliveryPolicy()
    policy.classify = { _ in .reject(reason: "classified") }
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    let shortage = RequestError(
      .cannotConnect, message: "", reachedServer: false, underlying: SystemShortage(EMFILE))
    var random = SeededRandom(seed: 1)
    for error in [Self.ofStore, shortage, RequestError(.clientShutDown, attempt: 1, reachedServer: false)] {
      let attempt = DeliveryAttempt(request: .get("http://a.test"), number: 99, result: .failure(error))
      let conclusion = rule.conclusion(on: attempt, counted: 1000, date: Date(), random: &random)
      guard case .failed(_, let next, false, false) = conclusion.outcome else {
        Issue.record("\(error): \(conclusion)")
        continue
      }
      #expect(next >= .milliseconds(100) && next <= .seconds(5))
      #expect(conclusion.sign == .none && conclusion.hasReached == nil)
    }
  }

  @Test(arguments: [
    (ENOENT, FailureCause.request), (EMFILE, .process), (ENFILE, .process), (ENOMEM, .process), (EIO, .store),
    (EACCES, .store),
  ])
  func `the failure of a stored file that cannot be opened is attributed by the system's reason`(
    code: Int32, cause: FailureCause
  ) {
    errno = code
    let error = RequestError.unreadableStoredFile("body", FileError(.open, "/f"), reachedServer: false)
    #expect(FailureCause(of: error) == cause)
    #expect((error.code == .fileUnreadable) == (cause == .request))
  }

  @Test func `an altered stored file counts as the request's fault`() {
    let error = RequestError.unreadableStoredFile(
      "body", FileError(.read, "/f", "its bytes have changed"), reachedServer: false)
    #expect(FailureCause(of: error) == .request && error.code == .fileUnreadable)
  }

  @Test(arguments: [500, 503, 429])
  func `a status that the request accepts is no failure of its origin`(status: Int) throws {
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    var random = SeededRandom(seed: 1)
    func sign(_ request: Request, _ fields: HTTPFields = [:]) throws -> OriginSign {
      let url = try #require(request.url)
      let response = Response(status: HTTPStatus(status), fields: fields, url: url)
      let attempt = DeliveryAttempt(request: request, number: 1, result: .success(response))
      return rule.conclusion(on: attempt, counted: 1, date: date, random: &random).sign
    }
    let request = Request.post("https://example.com/")
    #expect(try sign(request.accepting(status)) == .responded)
    #expect(try sign(request) != .responded)
    // The server still asks for a pause.
    if status != 500 { #expect(try sign(request.accepting(status), ["Retry-After": "5"]) != .responded) }
  }

  @Test(arguments: [
    (OutboxError.Code.tooNew, false), (.wrongKey, false), (.damaged, true),
  ])
  func `only a damaged request is at fault if it cannot be read`(code: OutboxError.Code, isRejected: Bool) {
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    switch rule.conclusion(onUnreadable: OutboxError(code, "no")).outcome {
    case .rejected(let reason, _): #expect(isRejected && reason == "no")
    case .failed(let reason, let next, let counts, _):
      #expect(!isRejected && reason == "no" && next == .seconds(60) && !counts)
    default: Issue.record("another outcome")
    }
  }

  @Test mutating func `an unauthorized response concerns its origin, and does not count as an attempt`() {
    let conclusion = conclusion(rejected(401), counted: 1000)
    guard case .failed(_, _, false, false) = conclusion.outcome else {
      Issue.record("\(conclusion)")
      return
    }
    #expect(conclusion.sign == .unauthorized(reason: "the server responded with 401 Unauthorized"))
    guard case .rejected = self.conclusion(rejected(403), isRefusedAlone: true).outcome else {
      Issue.record("it is still in progress")
      return
    }
    // Without a credential, nothing was sent.
    for code in [RequestError.Code.signedOut, .refreshFailed, .excessiveRefresh] {
      let error = RequestError(code, message: "no", reachedServer: false)
      let conclusion = self.conclusion(error, counted: 1000, isRefusedAlone: true)
      #expect(conclusion.sign == .withoutCredential(reason: "no"))
      guard case .failed(_, _, false, false) = conclusion.outcome else {
        Issue.record("\(conclusion)")
        continue
      }
    }
    policy.pausesUnauthorized = false
    guard case .rejected = self.conclusion(rejected(401)).outcome else {
      Issue.record("it is still in progress")
      return
    }
  }

  @Test func `the sign of an attempt is derived from its status, or from its absence`() {
    #expect(conclusion(rejected(404)).sign == .responded)
    #expect(
      conclusion(rejected(500)).sign
        == .failed(reason: "the server responded with 500 Internal Server Error", .responded))
    #expect(
      conclusion(rejected(503)).sign
        == .failed(reason: "the server responded with 503 Service Unavailable", .responded))
    guard case .busy(_, .seconds(9)) = conclusion(rejected(503, ["Retry-After": "9"])).sign,
      case .busy(_, .seconds(7)) = conclusion(rejected(429, ["Retry-After": "7"])).sign
    else {
      Issue.record("they were changed")
      return
    }
    #expect(conclusion(noWay).sign == .failed(reason: "refused", .unreachable))
    let lost = RequestError(.connectionLost, message: "lost", reachedServer: true)
    #expect(conclusion(lost).sign == .failed(reason: "lost", .silent))
    let late = RequestError(.timedOut, message: "late", reachedServer: false)
    #expect(conclusion(late).sign == .failed(reason: "late", .unreachable))
    let request = Request.post("https://example.com/")
    for own in [request.timeout(.milliseconds(1)), request.deadline(.milliseconds(1))] {
      #expect(conclusion(late, of: own).sign == .failed(reason: "late", .silent))
    }
    #expect(conclusion(RequestError(.fileUnreadable, message: "", reachedServer: false)).sign == .none)
  }

  @Test(arguments: [.seconds(7200), .zero, .seconds(-5), .seconds(Int64.max)] as [Duration])
  mutating func `a delay of the classify function is a lower bound`(delay: Duration) throws {
    policy.classify = { _ in .retry(reason: "later", after: delay) }
    let least = min(max(delay, .zero), .longest)
    for seed: UInt64 in 1...20 {
      let next = try #require(wait(conclusion(rejected(503), seed: seed)))
      #expect(next >= least && next <= max(least, .seconds(1)))
    }
  }

  @Test mutating func `the classify function of a policy decides last`() {
    policy.classify = { _ in .reject(reason: "never") }
    #expect(
      conclusion(rejected(503)).outcome
        == .rejected(
          reason: "never",
          response: OutboxResponse(
            status: HTTPStatus(503), fields: [:], body: Data(), isWhole: true, limit: 100)))
  }

  @Test(arguments: ["no-store", "private, No-Store", "max-age=0,no-store"])
  func `only the status of a no-store response is stored`(directive: String) {
    let error = rejected(422, ["Cache-Control": directive, "X": "secret"], body: Data("secret".utf8))
    guard case .rejected(_, let response) = conclusion(error).outcome else {
      Issue.record("it was not refused")
      return
    }
    #expect(
      response == OutboxResponse(status: HTTPStatus(422), fields: [:], body: Data(), isWhole: false, limit: 0)
    )
    guard case .rejected(_, let other) = conclusion(rejected(422, ["Cache-Control": "no-cache"])).outcome
    else {
      Issue.record("it was not refused")
      return
    }
    #expect(other?.fields["Cache-Control"] == "no-cache")
  }

  @Test func `an encoded response decodes to itself, and no prefix of it decodes`() {
    let response = OutboxResponse(
      status: HTTPStatus(201), fields: ["Location": "/7", "X": "ü"], body: Data([0, 255, 7]), isWhole: true,
      limit: 100)
    let data = response.encoded()
    #expect(OutboxResponse(decoding: data) == response)
    for length in 0..<data.count { #expect(OutboxResponse(decoding: data.prefix(length)) == nil) }
  }

  // MARK: Uploads that resume

  private func conclusion(
    ofUpload error: RequestError, madeProgress: Bool, number: Int = 40, counted: Int = 1
  ) -> RetryRule.Conclusion {
    var random = SeededRandom(seed: 1)
    let rule = RetryRule(policy: policy, pollInterval: .seconds(60), responseLimit: 100)
    var attempt = DeliveryAttempt(
      request: .post("https://example.com/"), number: number, result: .failure(error))
    attempt.take(madeProgress: madeProgress, counted: counted)
    return rule.conclusion(on: attempt, counted: counted, date: date, random: &random)
  }

  private let cut = RequestError(.connectionLost, message: "cut", reachedServer: true)

  @Test func `an attempt that made progress does not count, and the next one follows soon`() {
    let conclusion = conclusion(ofUpload: cut, madeProgress: true, counted: 100)
    guard case .failed(_, let next, let counts, _) = conclusion.outcome else {
      Issue.record("\(conclusion)")
      return
    }
    #expect(next <= .seconds(1) && !counts)
    // The server responded, so it gets more requests.
    #expect(conclusion.sign == .responded)
  }

  @Test func `attempts without progress count, and wait longer each time`() {
    let conclusion = conclusion(ofUpload: cut, madeProgress: false, counted: 3)
    guard case .failed(_, let next, let counts, _) = conclusion.outcome else {
      Issue.record("\(conclusion)")
      return
    }
    #expect(next <= .seconds(4) && counts)
    #expect(conclusion.sign != .responded)
    guard case .rejected = self.conclusion(ofUpload: cut, madeProgress: false, counted: 100).outcome else {
      Issue.record("it has attempts left")
      return
    }
  }

  @Test(arguments: [
    (UploadFailure.tooLarge(limit: 3), true), (.noSupport, true), (.gone, false), (.damaged, false),
  ])
  func `a server's limit makes a dead letter, and its contradictions do after five attempts`(
    _ failure: UploadFailure, isLasting: Bool
  ) {
    let code: RequestError.Code = failure == .damaged ? .integrityFailed : .uploadFailed
    let error = RequestError(code, message: "no", reachedServer: true, underlying: failure)
    for counted in 1...5 {
      let outcome = conclusion(ofUpload: error, madeProgress: false, counted: counted).outcome
      if case .rejected = outcome {
        #expect(isLasting || counted == 5)
      } else {
        #expect(!isLasting && counted < 5)
      }
    }
  }
}
