import ErrandCore
import ErrandTesting

extension Invariant {
  static let writes = Invariant(name: "a read that begins after a write to it is not from before the write") {
    evidence in
    let writes = evidence.owners.compactMap { caller -> (Caller, note: Int, order: Int, version: Int)? in
      guard let note = caller.ask.writes, let end = caller.ends.first,
        let version = evidence.noteVersion(in: end.outcome)
      else { return nil }
      return (caller, note, end.order, version)
    }
    return evidence.owners.compactMap { caller in
      guard let note = caller.ask.note?.note, let end = caller.ends.first,
        let version = evidence.noteVersion(in: end.outcome)
      else { return nil }
      let missed = writes.first { $0.note == note && $0.order < caller.order && version < $0.version }
      return missed.map { "\(caller) got version \(version), and \($0.0) had made version \($0.version)" }
    }
  }

  static let waiting = Invariant(
    name: "a call that waits for the network is neither sent nor fails at once while there is none"
  ) { evidence in
    guard let outage = evidence.outage else { return [] }
    return evidence.owners.compactMap { caller in
      guard let limit = caller.ask.waits else { return nil }
      if outage.start < caller.began, caller.began < outage.end,
        let first = evidence.attempts(of: caller.ask).first,
        first.began < min(outage.end, caller.began + min(.seconds(5), limit))
      {
        return "\(caller), from \(caller.began), was sent at \(first.began)"
      }
      if let end = caller.ends.first, outage.start < end.time, end.time < outage.end,
        end.time < caller.began + limit,
        let code = end.outcome.code, [.cannotConnect, .cannotResolveHost].contains(code)
      {
        return "\(caller) failed at \(end.time): \(end.outcome)"
      }
      return nil
    }
  }
}

extension Evidence {
  /// The version of the note in the response; nil without a response.
  fileprivate func noteVersion(in outcome: Outcome) -> Int? {
    guard case .responded(200, let text) = outcome else { return nil }
    return Echo.index(in: text).flatMap { notes[$0] }
  }
}
