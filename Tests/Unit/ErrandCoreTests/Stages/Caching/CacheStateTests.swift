import Testing

@testable import ErrandCore

@Suite struct CacheStateTests {
  private static let limit = Duration.seconds(60)
  private static let policies: [CachePolicy] = [
    .networkOnly, .first, .staleWhileRevalidate, .staleIfError, .maxAge(limit),
  ]
  private static let ages: [Duration?] = [
    nil, .seconds(-1), .zero, limit - .nanoseconds(1), limit, .seconds(86_400),
  ]
  private enum Outcome: CaseIterable { case response, outOfReach, refused }

  /// Runs a call to its end. Returns the delivered responses, and how often the call used the network and
  /// read the cache.
  private func run(
    _ policy: CachePolicy, age: Duration?, _ outcome: Outcome
  ) -> (delivered: [String], asked: Int, reads: Int) {
    var state = CacheState(policy)
    var (delivered, asked, reads) = ([String](), 0, 0)
    var step = state.begin()
    while true {
      switch step {
      case .read:
        reads += 1
        step = state.found(age: age)
      case .deliverCached:
        return (delivered + ["kept"], asked, reads)
      case .deliverCachedAndAsk, .ask:
        if step == .deliverCachedAndAsk { delivered.append("kept") }
        asked += 1
        switch outcome {
        case .response: return (delivered + ["response"], asked, reads)
        case .outOfReach: step = state.failed(RequestError(.timedOut, message: "", reachedServer: true))
        case .refused: step = state.failed(RequestError(.invalidRequest, message: "", reachedServer: false))
        }
      case .fail:
        return (delivered + ["error"], asked, reads)
      }
    }
  }

  @Test func `each policy delivers the documented responses for every age and every outcome`() {
    for age in Self.ages {
      for outcome in Outcome.allCases {
        let fresh = outcome == .response ? "response" : "error"
        let isKept = age != nil
        #expect(run(.networkOnly, age: age, outcome) == ([fresh], 1, 0))
        #expect(run(.first, age: age, outcome) == (isKept ? (["kept"], 0, 1) : ([fresh], 1, 1)))
        #expect(run(.staleWhileRevalidate, age: age, outcome) == (isKept ? ["kept", fresh] : [fresh], 1, 1))
        let isYoung = age.map { $0 >= .zero && $0 < Self.limit } ?? false
        #expect(
          run(.maxAge(Self.limit), age: age, outcome) == (isYoung ? (["kept"], 0, 1) : ([fresh], 1, 1)))
        let onFailure = run(.staleIfError, age: age, outcome)
        switch outcome {
        case .response: #expect(onFailure == (["response"], 1, 0))
        case .refused: #expect(onFailure == (["error"], 1, 0))
        case .outOfReach: #expect(onFailure == ([isKept ? "kept" : "error"], 1, 1))
        }
      }
    }
  }

  private func refused(_ status: HTTPStatus) -> RequestError {
    RequestError(
      .rejected, message: "", status: status, reachedServer: true,
      rejection: .status(status, expected: .success))
  }

  @Test func `only these statuses mean that a server is unreachable`() {
    for code in 300..<600 {
      let expected = code >= 500 || [408, 425, 429].contains(code)
      #expect(refused(HTTPStatus(code)).isServerOutOfReach == expected, "\(code)")
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
  func `failures on the way to the server count as unreachable`(code: RequestError.Code, counts: Bool) {
    #expect(RequestError(code, message: "", reachedServer: true).isServerOutOfReach == counts)
  }

  @Test func `neither a cancellation nor an error on the caller's side counts as unreachable`() {
    struct Own: Error {}
    #expect(!CancellationError().isServerOutOfReach)
    #expect(!Own().isServerOutOfReach)
  }

  @Test func `a policy describes itself`() {
    #expect(CachePolicy.maxAge(.seconds(90)).description == "cached if younger than 90 s")
    #expect(Set(Self.policies.map(\.description)).count == Self.policies.count)
  }
}
