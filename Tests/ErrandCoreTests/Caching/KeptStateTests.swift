import Testing

@testable import ErrandCore

@Suite struct KeptStateTests {
  private static let limit = Duration.seconds(60)
  private static let policies: [KeepPolicy] = [
    .networkOnly, .first, .thenRefreshed, .onFailure, .youngerThan(limit),
  ]
  private static let ages: [Duration?] = [
    nil, .seconds(-1), .zero, limit - .nanoseconds(1), limit, .seconds(86_400),
  ]
  private enum Outcome: CaseIterable { case answer, outOfReach, refused }

  /// Drives a call to its end. Returns what was delivered, and how often the network was asked.
  private func run(
    _ policy: KeepPolicy, age: Duration?, _ outcome: Outcome
  ) -> (delivered: [String], asked: Int, reads: Int) {
    var state = KeptState(policy)
    var (delivered, asked, reads) = ([String](), 0, 0)
    var step = state.begin()
    while true {
      switch step {
      case .read:
        reads += 1
        step = state.found(age: age)
      case .deliverKept:
        return (delivered + ["kept"], asked, reads)
      case .deliverKeptAndAsk, .ask:
        if step == .deliverKeptAndAsk { delivered.append("kept") }
        asked += 1
        switch outcome {
        case .answer: return (delivered + ["answer"], asked, reads)
        case .outOfReach: step = state.failed(RequestError(.timedOut, message: "", reachedServer: true))
        case .refused: step = state.failed(RequestError(.invalidRequest, message: "", reachedServer: false))
        }
      case .fail:
        return (delivered + ["error"], asked, reads)
      }
    }
  }

  @Test func `each policy delivers what it says, for every age and every outcome`() {
    for age in Self.ages {
      for outcome in Outcome.allCases {
        let fresh = outcome == .answer ? "answer" : "error"
        let isKept = age != nil
        #expect(run(.networkOnly, age: age, outcome) == ([fresh], 1, 0))
        #expect(run(.first, age: age, outcome) == (isKept ? (["kept"], 0, 1) : ([fresh], 1, 1)))
        #expect(run(.thenRefreshed, age: age, outcome) == (isKept ? ["kept", fresh] : [fresh], 1, 1))
        let isYoung = age.map { $0 >= .zero && $0 < Self.limit } ?? false
        #expect(
          run(.youngerThan(Self.limit), age: age, outcome) == (isYoung ? (["kept"], 0, 1) : ([fresh], 1, 1)))
        let onFailure = run(.onFailure, age: age, outcome)
        switch outcome {
        case .answer: #expect(onFailure == (["answer"], 1, 0))
        case .refused: #expect(onFailure == (["error"], 1, 0))
        case .outOfReach: #expect(onFailure == ([isKept ? "kept" : "error"], 1, 1))
        }
      }
    }
  }

  private func refused(_ status: Status) -> RequestError {
    RequestError(
      .rejected, message: "", status: status, reachedServer: true,
      rejection: .status(status, expected: 200..<300))
  }

  @Test func `a server is out of reach or in trouble by these statuses and no others`() {
    for code in 300..<600 {
      let expected = code >= 500 || [408, 425, 429].contains(code)
      #expect(refused(Status(code)).isServerOutOfReach == expected, "\(code)")
    }
    let wrongType = RequestError(
      .rejected, message: "", status: 503, reachedServer: true, rejection: .contentType(nil, expected: []))
    #expect(!wrongType.isServerOutOfReach)
  }

  @Test(arguments: [
    (RequestError.Code.timedOut, true), (.deadlineExceeded, true), (.cannotResolveHost, true),
    (.cannotConnect, true), (.connectionLost, true), (.tlsFailed, true), (.untrustedCertificate, true),
    (.invalidResponse, true), (.badEncoding, true), (.pinMismatch, false), (.cancelled, false),
    (.invalidRequest, false), (.bodyTooLarge, false), (.fieldsTooLarge, false), (.tooManyRedirects, false),
    (.redirectRefused, false), (.rejected, false), (.decodingFailed, false), (.bodyNotReplayable, false),
    (.bodyFailed, false), (.fileUnreadable, false), (.fileChanged, false), (.fileUnwritable, false),
    (.unsupported, false),
  ])
  func `of other failures, those of the way to the server count`(code: RequestError.Code, counts: Bool) {
    #expect(RequestError(code, message: "", reachedServer: true).isServerOutOfReach == counts)
  }

  @Test func `neither a cancellation nor somebody's own error counts`() {
    struct Own: Error {}
    #expect(!CancellationError().isServerOutOfReach)
    #expect(!Own().isServerOutOfReach)
  }

  @Test func `a policy says what it does`() {
    #expect(KeepPolicy.youngerThan(.seconds(90)).description == "kept if younger than 90 s")
    #expect(Set(Self.policies.map(\.description)).count == Self.policies.count)
  }
}
