import ErrandCore
import ErrandTesting

extension Invariant {
  static let limits = Invariant(name: "limits are never exceeded") { evidence in
    let limits = evidence.plan.limits
    var found: [String] = []
    if let total = limits.total, evidence.mostInFlight > total {
      found.append("\(evidence.mostInFlight) were in flight, and the limit is \(total)")
    }
    for (host, load) in evidence.hosts.sorted(by: { $0.key < $1.key }) {
      if let limit = limits.perOrigin, load.mostInFlight > limit {
        found.append("\(load.mostInFlight) were in flight to \(host), and the limit is \(limit)")
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
    }
    let most = mostAtOnce(unseen.flatMap { evidence.attempts(of: $0.ask) })
    return most > limit ? ["\(most) background requests were in flight, and the limit is \(limit)"] : []
  }

  private static func mostAtOnce(_ attempts: [SimulatedAttempt]) -> Int {
    let changes = attempts.flatMap { [($0.began, 1), ($0.ended ?? .longest, -1)] }.sorted { $0 < $1 }
    var (now, most) = (0, 0)
    for (_, change) in changes {
      now += change
      most = max(most, now)
    }
    return most
  }
}
