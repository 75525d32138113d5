import ErrandCore
import ErrandTesting

extension Invariant {
  static let callingOff = Invariant(
    name: "a cancelled caller ends at once with the reason, and no other caller does"
  ) { evidence in
    evidence.callers.compactMap { caller in
      guard let end = caller.ends.first else { return nil }
      if let first = caller.leaves.first, end.time > first.time {
        return "\(caller) left at \(first.time) and got \(end.outcome) at \(end.time)"
      }
      guard end.outcome.code == .cancelled else {
        // The deadline may have passed at the same instant.
        let isDelivered = caller.leaves.contains(where: \.isCertain) && end.outcome.code != .deadlineExceeded
        return isDelivered ? "\(caller) was cancelled before it got \(end.outcome)" : nil
      }
      // The owner has cancelled the call for all its callers.
      if caller.role == .guest, end.outcome.reason == .callCancelled { return nil }
      if end.outcome.reason == .superseded, caller.ask.rule?.isLatest ?? false { return nil }
      if end.outcome.reason == .clientShutDown, evidence.plan.shutdown != nil { return nil }
      let isExpected = caller.leaves.contains { $0.reason == end.outcome.reason && $0.time == end.time }
      return isExpected ? nil : "\(caller) got \(end.outcome) at \(end.time), but was not cancelled"
    }
  }

  static let silenceAfter = Invariant(name: "nothing is sent before a call begins or after it ended") {
    evidence in
    evidence.owners.flatMap { caller -> [String] in
      guard let end = caller.ends.first, caller.ask.rule?.isSharing != true, caller.ask.note == nil,
        !evidence.isRenewed(caller)
      else { return [] }
      return evidence.attempts(of: caller.ask).compactMap { attempt in
        guard attempt.began < caller.began || attempt.began > end.time || attempt.ended ?? .longest > end.time
        else {
          return nil
        }
        return "\(caller), from \(caller.began) to \(end.time); "
          + "on the wire from \(attempt.began) to \(attempt.ended.map { "\($0)" } ?? "now")"
      }
    }
  }

  static let shutdown = Invariant(name: "a client that was shut down has cancelled everything in time") {
    evidence in
    if evidence.shutdownTook > .zero { return ["shutting down an idle client took \(evidence.shutdownTook)"] }
    guard let plan = evidence.plan.shutdown else { return [] }
    let last = plan.after + plan.limit
    return evidence.callers.compactMap { caller in
      guard let end = caller.ends.first else { return nil }
      if end.time > max(last, caller.began) { return "\(caller) ended at \(end.time), after \(last)" }
      guard caller.role == .owner, end.outcome.reason == .clientShutDown else { return nil }
      let isExpected =
        (caller.began >= plan.after && end.time == caller.began)
        || (caller.began <= plan.after && end.time == last)
      return isExpected ? nil : "\(caller), from \(caller.began), was shut down at \(end.time)"
    }
  }
}
