import ErrandCore
import ErrandTesting

extension Invariant {
  static let ignoring = Invariant(
    name: "one of several repeats is sent in an interval, and the others fail at once"
  ) { evidence in
    evidence.groups(where: \.isIgnoring).flatMap { rule, members -> [String] in
      guard case .ignoring(_, let interval) = rule else { return [] }
      let ignored = members.filter { $0.ends.first?.outcome.code == .ignoredRepeat }
      let others = members.filter { $0.ends.first?.outcome.code != .ignoredRepeat }
      let known = others.filter { !$0.hardlyBegan }
      var found = zip(known, known.dropFirst()).filter {
        $1.began < $0.began + interval && !evidence.neverLeft($0, by: $1.began)
      }.map { "\($1) began at \($1.began), too soon after \($0.began)" }
      for caller in ignored {
        let hasCause = others.contains { $0.began <= caller.began && caller.began < $0.began + interval }
        if !hasCause { found.append("\(caller) was ignored at \(caller.began) without a cause") }
        if caller.ends.first?.time != caller.began { found.append("\(caller) did not fail at once") }
        if !evidence.attempts(of: caller.ask).isEmpty { found.append("\(caller) was ignored and sent") }
      }
      return found
    }
  }

  static let latest = Invariant(
    name: "a superseded call is cancelled at once and its response is never delivered"
  ) {
    evidence in
    evidence.groups(where: \.isLatest).flatMap { _, members -> [String] in
      members.compactMap { caller in
        guard let end = caller.ends.first else { return nil }
        let next = members.first { $0.began > caller.began && !$0.hardlyBegan }
        if let next, end.time > next.began {
          return "\(caller) got \(end.outcome) at \(end.time), superseded at \(next.began)"
        }
        let peers = members.filter { $0.began == caller.began && $0.id != caller.id }
        if end.time > caller.began, peers.contains(where: { $0.ends.first?.time ?? .longest > $0.began }) {
          return "\(caller) and another that began at the same time both continued"
        }
        guard end.outcome.reason == .superseded else { return nil }
        let isOvertaken = members.contains { $0.began == end.time && $0.id != caller.id }
        return isOvertaken ? nil : "\(caller) was superseded at \(end.time) by no other call"
      }
    }
  }
}
