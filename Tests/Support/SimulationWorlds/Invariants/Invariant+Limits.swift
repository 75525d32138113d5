import ErrandCore
import ErrandTesting

extension Invariant {
  static let limits = Invariant(name: "limits are never exceeded") { evidence in
    let limits = evidence.plan.limits
    var found: [String] = []
    // An event stream takes no slot. The network counts it, so that the attempts are counted again beside it.
    let hasStreams = !evidence.listeners.isEmpty
    let requests = evidence.attempts.filter { !EventServer.isAsked(by: $0) }
    let most = hasStreams ? mostAtOnce(requests) : evidence.mostInFlight
    if let total = limits.total, most > total {
      found.append("\(most) were in flight, and the limit is \(total)")
    }
    for (host, load) in evidence.hosts.sorted(by: { $0.key < $1.key }) {
      let most = hasStreams ? mostAtOnce(requests.filter { $0.host == host }) : load.mostInFlight
      if let limit = limits.perOrigin, most > limit {
        found.append("\(most) were in flight to \(host), and the limit is \(limit)")
      }
      let streams = mostAtOnce(evidence.attempts.filter { EventServer.isAsked(by: $0) && $0.host == host })
      if let limit = limits.eventStreams, streams > limit {
        found.append("\(streams) event streams of \(host) were open, and the limit is \(limit)")
      }
    }
    return found
  }

  static let reservedSlots = Invariant(name: "background requests never take the reserved slots") {
    evidence in
    guard let total = evidence.plan.limits.total else { return [] }
    let limit = max(1, total - evidence.plan.limits.reserved)
    // A dependency may have been raised to its dependents' priority.
    let lent = Set(evidence.owners.flatMap(\.ask.after))
    let unseen = evidence.owners.filter {
      $0.ask.priority <= .utility && !lent.contains($0.ask.id) && !($0.ask.rule?.isSharing ?? false)
        && $0.ask.note == nil
    }
    let most = mostAtOnce(unseen.flatMap { evidence.attempts(of: $0.ask) })
    return most > limit ? ["\(most) background requests were in flight, and the limit is \(limit)"] : []
  }

  static func mostAtOnce(_ attempts: [SimulatedAttempt]) -> Int {
    let changes = attempts.flatMap { [($0.began, 1), ($0.ended ?? .longest, -1)] }.sorted { $0 < $1 }
    var (now, most) = (0, 0)
    for (_, change) in changes {
      now += change
      most = max(most, now)
    }
    return most
  }
}
