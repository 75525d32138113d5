import ErrandCore
import ErrandTesting

extension Evidence {
  /// Returns the callers that own their call by group, each group in the order of their starts.
  func groups(where isMeant: (Rule) -> Bool) -> [(rule: Rule, members: [Caller])] {
    let owners = owners.filter { $0.ask.rule.map(isMeant) ?? false }
    return Dictionary(grouping: owners) { Group(rule: $0.ask.rule, attempts: $0.ask.sharedAttempts) }
      .compactMap { group, members in
        group.rule.map { ($0, members.sorted { ($0.began, $0.id) < ($1.began, $1.id) }) }
      }
      .sorted { $0.members[0].id < $1.members[0].id }
  }

  /// Returns true if the caller had failed by then, and no server has received its request.
  func neverLeft(_ caller: Caller, by time: Duration) -> Bool {
    guard let end = caller.ends.first, end.time <= time, !end.outcome.isSuccess else { return false }
    return attempts(of: caller.ask).allSatisfy { $0.seen == nil }
  }
}

private struct Group: Hashable {
  let rule: Rule?
  /// Requests are shared only with requests that have the same number of attempts.
  let attempts: Int?
}

extension Ask {
  fileprivate var sharedAttempts: Int? { rule?.isSharing == true ? maxAttempts : nil }
}

extension Caller {
  /// True if the caller was cancelled as it began, so that the progress of its request is unknown.
  var hardlyBegan: Bool {
    guard let end = ends.first else { return false }
    return end.time == began && end.outcome.code == .cancelled && end.outcome.reason != .superseded
  }
}
