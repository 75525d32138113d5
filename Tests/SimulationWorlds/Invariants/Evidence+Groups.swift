import ErrandCore

extension Evidence {
  /// The owners by group, each group in the order in which they began.
  func groups(where isMeant: (Rule) -> Bool) -> [(rule: Rule, members: [Caller])] {
    let owners = owners.filter { $0.ask.rule.map(isMeant) ?? false }
    return Dictionary(grouping: owners) { $0.ask.rule }.compactMap { rule, members in
      rule.map { ($0, members.sorted { ($0.began, $0.id) < ($1.began, $1.id) }) }
    }
    .sorted { $0.members[0].id < $1.members[0].id }
  }
}

extension Caller {
  /// It was called off as it began, so that nobody knows how far it came.
  var hardlyBegan: Bool {
    guard let end = ends.first else { return false }
    return end.time == began && end.outcome.code == .cancelled && end.outcome.reason != .superseded
  }
}
