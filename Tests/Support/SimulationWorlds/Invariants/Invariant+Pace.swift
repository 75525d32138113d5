import ErrandCore
import ErrandTesting

extension Invariant {
  static let pace = Invariant(name: "no host gets more requests in a period than its rate allows") {
    evidence in
    guard let rate = evidence.plan.rate else { return [] }
    let limited = evidence.attempts.filter { evidence.plan.hosts.contains($0.host) }
    return Dictionary(grouping: limited, by: \.host).sorted { $0.key < $1.key }.flatMap {
      host, attempts in
      rate.excesses(in: attempts.map(\.began)).map { start, length in
        "\(host) got \(rate.most + 1) requests in \(length), from \(start)"
      }
    }
  }

  static let hedging = Invariant(name: "at most one of twenty requests has a second attempt beside the first")
  {
    evidence in
    // Callers who read or share also have attempts beside each other without hedging.
    let asks = evidence.owners.filter {
      $0.ask.reading == nil && $0.ask.note == nil && $0.ask.rule?.isSharing != true
    }
    .map(\.ask)
    let second = asks.reduce(0) { $0 + evidence.seconds(of: $1).count }
    let first = evidence.attempts.filter { !EventServer.isAsked(by: $0) }.count - second
    guard evidence.plan.hedge != nil else { return second > 0 ? ["\(second) second attempts"] : [] }
    return second * 20 > first ? ["\(second) second attempts beside \(first) first ones"] : []
  }
}

extension Evidence {
  /// Returns the attempts that began while another attempt of the same request was in flight.
  func seconds(of ask: Ask) -> [SimulatedAttempt] {
    let attempts = attempts(of: ask)
    return attempts.enumerated().filter { index, attempt in
      attempts[..<index].contains { $0.ended ?? .longest > attempt.began }
    }.map(\.element)
  }
}

extension RateLimit {
  /// The greatest number of attempts in a period.
  var most: Int { requests + burst - 1 }

  /// Returns the beginning and the length of each time in which more attempts began than in a whole period may begin.
  func excesses(in times: [Duration]) -> [(start: Duration, length: Duration)] {
    zip(times, times.dropFirst(most)).map { ($0, $1 - $0) }.filter { $1 < per }
  }
}
