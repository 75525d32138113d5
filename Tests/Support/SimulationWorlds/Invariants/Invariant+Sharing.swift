import ErrandCore
import ErrandTesting

extension Invariant {
  static let sharing = Invariant(name: "at most one request is sent in a shared window") { evidence in
    evidence.groups(where: \.isSharing).flatMap { rule, members -> [String] in
      guard case .sharing(_, let policy) = rule else { return [] }
      let inFlightRequests = SharedGroup.all(of: members, evidence)
      return zip(inFlightRequests, inFlightRequests.dropFirst()).compactMap { one, next in
        let start = next.leader.began
        if let late = one.members.first(where: { $0.ends.first?.time ?? .longest > start }) {
          return "\(next.leader) was sent at \(start), when \(late) was still waiting for another"
        }
        if one.attempts.contains(where: { $0.ended ?? .longest > start }) {
          return "\(next.leader) was sent at \(start), while \(one.leader) was in flight"
        }
        let isOpen = start < one.leader.began + policy.window
        let isUsable = one.outcomes.contains { $0.end.outcome.isSuccess || policy.failures == .replayed }
        return isOpen && isUsable
          ? "\(next.leader) was sent at \(start), in the window of \(one.leader) from \(one.leader.began)"
          : nil
      }
    }
  }

  static let shared = Invariant(
    name: "all callers that share get the same response, when it arrives, and none that is too old"
  ) {
    evidence in
    evidence.groups(where: \.isSharing).flatMap { rule, members -> [String] in
      guard case .sharing(_, let policy) = rule else { return [] }
      return SharedGroup.all(of: members, evidence).flatMap { inFlightRequest -> [String] in
        let outcomes = inFlightRequest.outcomes
        let kinds = Set(outcomes.map { $0.end.outcome.code.map(\.description) ?? $0.end.outcome.description })
        let here = outcomes.map(\.end.time).min() ?? .zero
        let windowEnd = inFlightRequest.leader.began + policy.window
        return (kinds.count > 1 ? ["\(inFlightRequest.leader) had the outcomes \(kinds.sorted())"] : [])
          + outcomes.compactMap { member, end in
            if end.time != max(here, member.began) {
              return "\(member) got at \(end.time) the response that arrived at \(here)"
            }
            return member.began > here && member.began >= windowEnd
              ? "\(member) got at \(member.began) the response that was old at \(windowEnd)" : nil
          }
      }
    }
  }

  static let abandonment = Invariant(name: "a shared request is in flight only while a caller waits") {
    evidence in
    evidence.groups(where: \.isSharing).flatMap { rule, members -> [String] in
      guard case .sharing(_, let policy) = rule, policy.whenAbandoned == .cancelled else { return [] }
      return members.flatMap { evidence.attempts(of: $0.ask) }.filter { attempt in
        [attempt.began, attempt.ended ?? .longest].contains { time in
          !members.contains { $0.began <= time && time <= $0.ends.first?.time ?? .longest }
        }
      }
      .map { "attempt \($0.index), from \($0.began) to \($0.ended.map { "\($0)" } ?? "now")" }
    }
  }
}
