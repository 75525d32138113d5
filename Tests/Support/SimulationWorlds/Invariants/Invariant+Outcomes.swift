import ErrandCore
import ErrandTesting

extension Invariant {
  static let oneOutcome = Invariant(name: "every caller gets exactly one outcome") { evidence in
    evidence.callers.filter { $0.ends.count != 1 }.map { "\($0) got \($0.ends.count)" }
  }

  static let genuineResponses = Invariant(name: "a response comes from the server, for this request") {
    evidence in
    evidence.callers.compactMap { caller in
      guard caller.ask.reading == nil, caller.ask.note == nil, let end = caller.ends.first,
        case .responded(let status, let text) = end.outcome
      else { return nil }
      guard let index = Echo.index(in: text), evidence.attempts.indices.contains(index) else {
        return "\(caller) got \(text.debugDescription)"
      }
      let source = evidence.attempts[index]
      let isGenuine =
        source.hasResponded(status, by: end.time) && evidence.responses(source, caller)
        && source.method == caller.ask.method && source.path == caller.ask.path
        && source.text == caller.ask.text
      return isGenuine ? nil : "\(caller) got the response of attempt \(index)"
    }
  }

  static let deadlines = Invariant(name: "no call is longer than its deadline") { evidence in
    evidence.owners.compactMap { caller in
      guard let end = caller.ends.first else { return nil }
      let limit = caller.ask.deadline.map { caller.began + $0 }
      // After its deadline, a call may look into the cache, which takes its time.
      let late = caller.ask.note?.isReplaced == true ? SlowCache.longest : .zero
      if let limit, end.time > limit + late { return "\(caller), from \(caller.began) to \(end.time)" }
      if end.outcome.code == .deadlineExceeded, limit.map({ end.time < $0 || end.time > $0 + late }) ?? true {
        return "\(caller) failed with its deadline at \(end.time)"
      }
      return nil
    }
  }
}

extension SimulatedAttempt {
  /// Returns true if the attempt may have responded, even if it was cancelled at the instant at which the
  /// response was complete.
  fileprivate func hasResponded(_ status: Int, by time: Duration) -> Bool {
    end == .responded(HTTPStatus(status))
      || (end == .cancelled && ended == time && response?.status.code == status)
  }
}

extension Evidence {
  /// Returns true if the attempt belongs to the caller, or to a caller with which it shares.
  fileprivate func responses(_ source: SimulatedAttempt, _ caller: Caller) -> Bool {
    if source.ask == caller.ask.id { return true }
    guard let rule = caller.ask.rule, rule.isSharing else { return false }
    return callers.contains { $0.ask.id == source.ask && $0.ask.rule == rule }
  }
}
