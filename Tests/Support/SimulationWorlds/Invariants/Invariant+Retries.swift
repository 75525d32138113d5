import ErrandCore
import ErrandTesting

extension Invariant {
  static let retries = Invariant(
    name: "a request has no more attempts than allowed, one after another, and only if it may be retried"
  ) { evidence in
    evidence.owners.flatMap { caller -> [String] in
      // A renewal has attempts besides those of its call.
      if evidence.isRenewed(caller) { return [] }
      let attempts = evidence.attempts(of: caller.ask)
      var found: [String] = []
      let mayHedge = evidence.plan.hedge != nil && caller.ask.isRepeatable
      // A call that waits for the network again has its attempts again.
      if caller.ask.waits == nil, attempts.count > caller.ask.maxAttempts * (mayHedge ? 2 : 1) {
        found.append("\(caller) was attempted \(attempts.count) times")
      }
      if mostAtOnce(attempts) > (mayHedge ? 2 : 1) {
        found.append("\(caller) had too many concurrent attempts")
      }
      for (one, next) in zip(attempts, attempts.dropFirst())
      where !mayHedge || one.ended ?? .longest < next.began {
        if !caller.ask.isRepeatable, one.seen != nil { found.append("\(caller) was sent twice") }
        let retryAfter = one.wholeResponse?.fields["Retry-After"].flatMap { Int($0) } ?? 0
        if let ended = one.ended, next.began < ended + .seconds(retryAfter) {
          found.append(
            "\(caller) was attempted at \(next.began), earlier than \(retryAfter) s after \(ended)")
        }
      }
      return found
    }
  }

  static let dependencies = Invariant(
    name: "a call is sent if and only if all its dependencies have succeeded"
  ) {
    evidence in
    let owners = Dictionary(evidence.owners.map { ($0.ask.id, $0) }) { first, _ in first }
    return evidence.owners.compactMap { caller in
      guard let first = evidence.attempts(of: caller.ask).first else { return nil }
      for id in caller.ask.after {
        guard let end = owners[id]?.ends.first, end.outcome.isSuccess, end.time <= first.began else {
          return "\(caller) was sent at \(first.began), before or without #\(id)"
        }
      }
      return nil
    }
  }
}

extension SimulatedAttempt {
  /// The response that the caller gets; nil if it was cut short.
  fileprivate var wholeResponse: ResponseHead? {
    if case .responded = end { response } else { nil }
  }
}
