import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

struct DeliveryRuleTests {
  private let date = Date(timeIntervalSince1970: 1_800_000_000)
  private var policy = DeliveryPolicy()

  private func ruling(
    _ error: any Error, number: Int = 1, counted: Int = 1, seed: UInt64 = 1, isRefusedAlone: Bool = false
  ) -> DeliveryRule.Ruling {
    var random = SeededRandom(seed: seed)
    let rule = DeliveryRule(policy: policy, beat: .seconds(60), answerLimit: 100)
    let aTry = DeliveryTry(
      request: .post("https://example.com/"), number: number, result: .failure(error))
    return rule.ruling(
      on: aTry, counted: counted, isRefusedAlone: isRefusedAlone, date: date, random: &random)
  }

  private func rejected(_ status: Int, _ fields: HTTPFields = [:], body: Data = Data()) -> RequestError {
    RequestError.Rejection.status(Status(status), expected: 200..<300)
      .error(Status(status), fields, bodyPrefix: body)
  }

  private func wait(_ ruling: DeliveryRule.Ruling) -> Duration? {
    if case .failed(_, let next, _, _) = ruling.outcome { next } else { nil }
  }

  private let noWay = RequestError(.cannotConnect, message: "refused", reachedServer: false)

  @Test(arguments: 1...20)
  func `waits with full jitter, doubling, up to an hour`(number: Int) throws {
    let most = min(3600, Double(1 << (number - 1)))
    var waits: [Duration] = []
    for seed in 1...200 {
      waits.append(try #require(wait(ruling(rejected(503), number: number, seed: UInt64(seed)))))
    }
    #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(most) })
    #expect(try #require(waits.max()) > .seconds(most * 0.9))
    #expect(try #require(waits.min()) < .seconds(most * 0.1))
  }

  @Test func `a million tries overflow nothing`() {
    #expect(wait(ruling(rejected(503), number: .max)).map { $0 <= .seconds(3600) } == true)
  }

  @Test func `Retry-After is waited for, in both forms, up to a day`() {
    #expect(wait(ruling(rejected(503, ["Retry-After": "7200"]))) == .seconds(7200))
    #expect(wait(ruling(rejected(429, ["Retry-After": "999999999"]))) == .seconds(86_400))
    let later = wait(ruling(rejected(503, ["Retry-After": "Fri, 15 Jan 2027 09:00:00 GMT"])))
    #expect(later == .seconds(3600))
  }

  @Test func `without a way to the server it waits no longer than the beat, and that does not count`() {
    for seed in 1...100 {
      let ruling = ruling(noWay, number: 30, counted: 1000, seed: UInt64(seed))
      guard case .failed(_, let next, let counts, let wasOffline) = ruling.outcome else {
        Issue.record("\(ruling)")
        return
      }
      #expect(next <= .seconds(60) && !counts && wasOffline && !ruling.hasReached)
    }
  }

  @Test mutating func `is set aside after so many tries that count, with the reason of the last`() {
    policy.maxTries = 3
    #expect(wait(ruling(rejected(503), number: 9, counted: 2)) != nil)
    guard case .refused(let reason, let answer) = ruling(rejected(503), number: 9, counted: 3).outcome else {
      Issue.record("it goes on")
      return
    }
    #expect(reason == "tried 3 times; the server answered 503 Service Unavailable")
    #expect(answer?.status == Status(503))
  }

  @Test func `a refusal keeps the answer, its body up to a limit, and no cookies`() {
    let error = rejected(
      400, ["Set-Cookie": "a=b", "Content-Type": "text/plain"], body: Data(repeating: 65, count: 300))
    guard case .refused(_, let answer?) = ruling(error).outcome else {
      Issue.record("it goes on")
      return
    }
    #expect(answer.status == Status(400))
    #expect(answer.fields == ["Content-Type": "text/plain"])
    #expect(answer.body.count == 100 && !answer.isWhole)
  }

  @Test func `what somebody else has cancelled backs off like any failure`() throws {
    var waits: Set<Duration> = []
    for seed in 1...50 {
      for error: any Error in [CancellationError(), RequestError(.clientShutDown, attempt: 1)] {
        let ruling = ruling(error, number: 5, seed: UInt64(seed))
        waits.insert(try #require(wait(ruling)))
        guard case .failed(_, _, let counts, _) = ruling.outcome else { continue }
        #expect(counts == (error is CancellationError))
      }
    }
    #expect(waits.count > 40)
  }

  @Test mutating func `refused credentials are the origin's matter, and do not count`() {
    let ruling = ruling(rejected(401), counted: 1000)
    guard case .failed(_, _, false, false) = ruling.outcome else {
      Issue.record("\(ruling)")
      return
    }
    #expect(ruling.sign == .unauthorized(reason: "the server answered 401 Unauthorized"))
    guard case .refused = self.ruling(rejected(403), isRefusedAlone: true).outcome else {
      Issue.record("it goes on")
      return
    }
    policy.pausesUnauthorized = false
    guard case .refused = self.ruling(rejected(401)).outcome else {
      Issue.record("it goes on")
      return
    }
  }

  @Test func `an attempt tells of its server by its status, or by having none`() {
    #expect(ruling(rejected(404)).sign == .answered)
    #expect(
      ruling(rejected(500)).sign
        == .failed(reason: "the server answered 500 Internal Server Error", hasAnswered: true))
    #expect(
      ruling(rejected(503)).sign
        == .failed(reason: "the server answered 503 Service Unavailable", hasAnswered: true))
    guard case .busy(_, .seconds(9)) = ruling(rejected(503, ["Retry-After": "9"])).sign,
      case .busy(_, .seconds(7)) = ruling(rejected(429, ["Retry-After": "7"])).sign
    else {
      Issue.record("they are not left alone")
      return
    }
    #expect(ruling(noWay).sign == .failed(reason: "refused", hasAnswered: false))
    #expect(ruling(RequestError(.fileUnreadable, message: "", reachedServer: false)).sign == .none)
  }

  @Test mutating func `its judge has the last word`() {
    policy.judge = { _ in .refused(reason: "never") }
    #expect(
      ruling(rejected(503)).outcome
        == .refused(
          reason: "never",
          OutboxAnswer(
            status: Status(503), fields: [:], body: Data(), isWhole: true, limit: 100)))
  }

  @Test(arguments: ["no-store", "private, No-Store", "max-age=0,no-store"])
  func `of a response that must not be kept only its status is`(directive: String) {
    let error = rejected(422, ["Cache-Control": directive, "X": "secret"], body: Data("secret".utf8))
    guard case .refused(_, let answer) = ruling(error).outcome else {
      Issue.record("it is not refused")
      return
    }
    #expect(answer == OutboxAnswer(status: Status(422), fields: [:], body: Data(), isWhole: false, limit: 0))
    guard case .refused(_, let kept) = ruling(rejected(422, ["Cache-Control": "no-cache"])).outcome else {
      Issue.record("it is not refused")
      return
    }
    #expect(kept?.fields["Cache-Control"] == "no-cache")
  }

  @Test func `an answer can be written down and read again`() {
    let answer = OutboxAnswer(
      status: Status(201), fields: ["Location": "/7", "X": "ü"], body: Data([0, 255, 7]), isWhole: true,
      limit: 100)
    let data = answer.encoded()
    #expect(OutboxAnswer(decoding: data) == answer)
    for length in 0..<data.count { #expect(OutboxAnswer(decoding: data.prefix(length)) == nil) }
  }
}
