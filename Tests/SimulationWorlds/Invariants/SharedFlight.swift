import ErrandCore
import ErrandTesting

/// One request that several shared, put together from what they got and what was on the wire.
struct SharedFlight {
  let leader: Caller
  /// Those who came from its beginning until the next one's.
  let members: [Caller]
  let tries: [SimulatedTry]

  /// What those got who neither left nor ran out of their own time: what the flight itself came to.
  var outcomes: [(member: Caller, end: Caller.End)] {
    members.compactMap { member in
      guard let end = member.ends.first else { return nil }
      return [.cancelled, .deadlineExceeded].contains(end.outcome.code) ? nil : (member, end)
    }
  }

  /// The flights of a group, in order. A flight that never came to the wire is none.
  static func all(of members: [Caller], _ evidence: Evidence) -> [SharedFlight] {
    let leaders = members.filter { !evidence.tries(of: $0.ask).isEmpty }
    var flights: [SharedFlight] = []
    for (index, leader) in leaders.enumerated() {
      let next = index + 1 < leaders.count ? leaders[index + 1].began : .longest
      let members = members.filter { member in
        guard leader.began <= member.began, member.began < next else { return false }
        // At the instant at which one flight ends and another begins, nobody knows who is in which.
        return member.id == leader.id || member.began > leader.began || flights.last?.end != leader.began
      }
      flights.append(SharedFlight(leader: leader, members: members, tries: evidence.tries(of: leader.ask)))
    }
    return flights
  }

  /// When the last try or the last member ended.
  private var end: Duration {
    (members.compactMap(\.ends.first?.time) + tries.compactMap(\.ended)).max() ?? .zero
  }
}
