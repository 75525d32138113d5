import ErrandCore
import ErrandTesting

extension Invariant {
  static let oneOutcome = Invariant(name: "every caller gets exactly one outcome") { evidence in
    evidence.callers.filter { $0.ends.count != 1 }.map { "\($0) got \($0.ends.count)" }
  }

  static let genuineAnswers = Invariant(name: "an answer is the server's own, to this request") { evidence in
    evidence.callers.compactMap { caller in
      guard let end = caller.ends.first, case .answered(let status, let text) = end.outcome else {
        return nil
      }
      guard let index = Echo.index(in: text), evidence.tries.indices.contains(index) else {
        return "\(caller) got \(text.debugDescription)"
      }
      let source = evidence.tries[index]
      let isGenuine =
        source.hasAnswered(status, by: end.time) && evidence.answers(source, caller)
        && source.method == caller.ask.method && source.path == caller.ask.path
        && source.text == caller.ask.text
      return isGenuine ? nil : "\(caller) got the answer of try \(index)"
    }
  }

  static let deadlines = Invariant(name: "no call is longer than its deadline") { evidence in
    evidence.owners.compactMap { caller in
      guard let end = caller.ends.first else { return nil }
      let limit = caller.ask.deadline.map { caller.began + $0 }
      if let limit, end.time > limit { return "\(caller), from \(caller.began) to \(end.time)" }
      if end.outcome.code == .deadlineExceeded, end.time != limit {
        return "\(caller) failed with its deadline at \(end.time)"
      }
      return nil
    }
  }
}

extension SimulatedTry {
  /// Called off at the very instant at which all of it was here, it may have answered.
  fileprivate func hasAnswered(_ status: Int, by time: Duration) -> Bool {
    end == .answered(Status(status))
      || (end == .calledOff && ended == time && answer?.status.rawValue == status)
  }
}

extension Evidence {
  /// A try is the caller's own, or that of somebody with whom it shares.
  fileprivate func answers(_ source: SimulatedTry, _ caller: Caller) -> Bool {
    if source.ask == caller.ask.id { return true }
    guard let rule = caller.ask.rule, rule.isSharing else { return false }
    return callers.contains { $0.ask.id == source.ask && $0.ask.rule == rule }
  }
}
