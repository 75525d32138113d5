import ErrandCore
import ErrandTesting

extension Invariant {
  static let pace = Invariant(name: "no host gets more requests in a period than its rate allows") {
    evidence in
    guard let rate = evidence.plan.rate else { return [] }
    let most = rate.requests + rate.burst - 1
    let limited = evidence.attempts.filter { evidence.plan.hosts.contains($0.host) }
    return Dictionary(grouping: limited, by: \.host).sorted { $0.key < $1.key }.flatMap {
      host, attempts in
      zip(attempts, attempts.dropFirst(most)).compactMap { first, next in
        next.began - first.began < rate.per
          ? "\(host) got \(most + 1) requests in \(next.began - first.began), from \(first.began)" : nil
      }
    }
  }

  static let hedging = Invariant(name: "at most one of twenty requests has a second attempt beside the first")
  {
    evidence in
    // Callers who read or share also have attempts beside each other without hedging.
    let asks = evidence.owners.filter { $0.ask.reading == nil && $0.ask.rule?.isSharing != true }.map(\.ask)
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
