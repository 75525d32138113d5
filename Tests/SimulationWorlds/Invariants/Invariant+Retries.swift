import ErrandCore
import ErrandTesting

extension Invariant {
  static let retries = Invariant(
    name: "a request is tried so often and no more, one try after the other, and only if it may be"
  ) { evidence in
    evidence.owners.flatMap { caller -> [String] in
      let tries = evidence.tries(of: caller.ask)
      var found: [String] = []
      if tries.count > caller.ask.maxTries { found.append("\(caller) was tried \(tries.count) times") }
      for (one, next) in zip(tries, tries.dropFirst()) {
        if one.ended ?? .longest > next.began { found.append("\(caller) was tried twice at once") }
        if !caller.ask.isRepeatable, one.seen != nil { found.append("\(caller) was sent twice") }
        let retryAfter = one.wholeAnswer?.fields["Retry-After"].flatMap { Int($0) } ?? 0
        if let ended = one.ended, next.began < ended + .seconds(retryAfter) {
          found.append("\(caller) was tried at \(next.began), \(retryAfter) s after \(ended) at the soonest")
        }
      }
      return found
    }
  }

  static let dependencies = Invariant(name: "a call is sent when all before it have succeeded, else not") {
    evidence in
    let owners = Dictionary(evidence.owners.map { ($0.ask.id, $0) }) { first, _ in first }
    return evidence.owners.compactMap { caller in
      guard let first = evidence.tries(of: caller.ask).first else { return nil }
      for id in caller.ask.after {
        guard let end = owners[id]?.ends.first, end.outcome.isSuccess, end.time <= first.began else {
          return "\(caller) was sent at \(first.began), before or without #\(id)"
        }
      }
      return nil
    }
  }
}

extension SimulatedTry {
  /// What the caller is told of: an answer that was cut short is none.
  fileprivate var wholeAnswer: ResponseHead? {
    if case .answered = end { answer } else { nil }
  }
}
