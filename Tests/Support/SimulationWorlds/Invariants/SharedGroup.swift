import ErrandCore
import ErrandTesting

/// One request that several callers shared, reconstructed from their outcomes and the attempts.
struct SharedGroup {
  let leader: Caller
  /// The callers that began between its start and the start of the next one.
  let members: [Caller]
  let attempts: [SimulatedAttempt]

  /// The outcomes of the members that were not cancelled and did not reach their own deadline: the outcome of
  /// the request itself.
  var outcomes: [(member: Caller, end: Caller.End)] {
    members.compactMap { member in
      guard let end = member.ends.first else { return nil }
      return [.cancelled, .deadlineExceeded].contains(end.outcome.code) ? nil : (member, end)
    }
  }

  /// Returns the shared requests of a group, in order. A request that was never sent is omitted.
  static func all(of members: [Caller], _ evidence: Evidence) -> [SharedGroup] {
    let leaders = members.filter { !evidence.attempts(of: $0.ask).isEmpty }
    var inFlightRequests: [SharedGroup] = []
    for (index, leader) in leaders.enumerated() {
      let next = index + 1 < leaders.count ? leaders[index + 1].began : .longest
      let members = members.filter { member in
        guard leader.began <= member.began, member.began < next else { return false }
        // At the instant at which one request ends and another begins, a caller may have joined either.
        return member.id == leader.id || member.began > leader.began
          || inFlightRequests.last?.end != leader.began
      }
      inFlightRequests.append(
        SharedGroup(leader: leader, members: members, attempts: evidence.attempts(of: leader.ask)))
    }
    return inFlightRequests
  }

  /// When the last attempt or the last member ended.
  private var end: Duration {
    (members.compactMap(\.ends.first?.time) + attempts.compactMap(\.ended)).max() ?? .zero
  }
}
