import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

/// The effect of second attempts on the slowest responses, in virtual time.
@Suite(.computesLong) struct HedgingFigureTests {
  private static let requests = 10_000

  private struct Figures {
    var times: [Duration] = []
    var sent = 0

    /// Returns the time that this share of the calls did not exceed.
    func percentile(_ share: Double) -> Duration {
      times[min(Int((share * Double(times.count)).rounded(.up)), times.count) - 1]
    }
  }

  /// Sends requests to a server that responds in 7 to 13 ms, except 1 % of the responses, which take 1 s.
  private func figures(_ change: (Request) -> Request) async throws -> Figures {
    let random = Locked(SeededRandom(seed: 1))
    let stage = Stage { _ in
      random.withLock { random in
        let isSlow = Double.random(in: 0..<1, using: &random) < 0.01
        let usual = Duration.microseconds(Int64.random(in: 7000...13_000, using: &random))
        return .response().after(isSlow ? .seconds(1) : usual)
      }
    }
    let request = change(.get("http://a.test/"))
    var figures = Figures()
    try await stage.clock.run {
      for _ in 0..<Self.requests {
        let began = stage.clock.now
        let response = try await stage.client.send(request)
        figures.times.append(began.duration(to: stage.clock.now))
        figures.sent += response.timing.attempts
      }
    }
    figures.times.sort()
    #expect(stage.stub.requests.count == figures.sent)
    return figures
  }

  @Test func `with 1 % slow responses, the 99.9th percentile is at least five times lower`() async throws {
    let plain = try await figures { $0 }
    let hedged = try await figures { $0.hedged(after: .p95) }
    #expect(plain.sent == Self.requests)
    #expect(plain.percentile(0.999) == .seconds(1))
    #expect(hedged.percentile(0.999) * 5 <= plain.percentile(0.999))
    #expect(Double(hedged.sent) <= Double(plain.sent) * 1.05)
  }
}
