import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

extension OutboxInvariant {
  static let leases = OutboxInvariant(
    name: "a row has one owner that attempts it, until the attempt or the lease ends"
  ) {
    evidence in
    evidence.stored.flatMap { ask -> [String] in
      var found: [String] = []
      var lease: (owner: String, end: Int64, boot: String)?
      for step in evidence.steps(of: ask) {
        switch step.kind {
        case .claimed(let end):
          if let lease { found.append("\(step), while \(lease.owner) had it") }
          lease = (step.owner, end, step.stored.boot)
        case .renewed(let end):
          if lease?.owner != step.owner { found.append("\(step), without a lease") }
          lease?.end = end
        case .recovered:
          if let lease, step.livingHolder != nil, lease.end > step.stored.ticks,
            lease.boot == step.stored.boot
          {
            found.append("\(step), while \(lease.owner) had it until \(lease.end)")
          }
          lease = nil
        case .failed, .rejected, .returned:
          if lease?.owner != step.owner { found.append("\(step), without a lease") }
          lease = nil
        case .delivered, .dropped, .expired, .retried, .damaged, .exhausted, .added, .pruned:
          if let lease, step.kind != .delivered { found.append("\(step), while \(lease.owner) had it") }
          lease = nil
        case .rescheduled: break
        }
      }
      return found
    }
  }

  static let leased = OutboxInvariant(name: "nothing is sent without a lease") { $0.unleased }

  static let wire = OutboxInvariant(
    name: "a request is not in flight twice, unless a lease ended meanwhile"
  ) {
    evidence in
    let attempts = Dictionary(grouping: evidence.attempts) { $0.ask ?? -1 }
    return evidence.stored.flatMap { ask -> [String] in
      let attempts = attempts[ask.id] ?? []
      return zip(attempts, attempts.dropFirst()).compactMap { one, next in
        guard one.ended ?? .longest > next.began else { return nil }
        let isExcused = evidence.steps(of: ask).contains {
          $0.kind == .recovered && one.began <= $0.time && $0.time <= next.began
        }
        return isExcused
          ? nil : "\(ask): attempt \(next.index) began at \(next.began), during attempt \(one.index)"
      }
    }
  }

  static let attended = OutboxInvariant(
    name: "a row that may be attempted is attempted soon, while nothing fails"
  ) {
    $0.unattended
  }

  static let waits = OutboxInvariant(name: "a request that failed waits for the required time") { evidence in
    evidence.stored.flatMap { ask -> [String] in
      var found: [String] = []
      var due: (ticks: Int64, boot: String)?
      for step in evidence.steps(of: ask) {
        switch step.kind {
        case .failed(let next): due = (step.stored.ticks + next.milliseconds, step.stored.boot)
        case .claimed:
          // Another process that read the clock later may have run first, and found the row due.
          if let due, due.boot == step.stored.boot, step.ticks < due.ticks {
            found.append("\(step), which was not due before \(due.ticks) ms")
          }
          due = nil
        case .rescheduled, .retried, .recovered: due = nil
        default: break
        }
      }
      return found
    }
  }

  static let expiry = OutboxInvariant(name: "a request expires at its time, and not earlier") {
    evidence in
    evidence.stored.flatMap { ask -> [String] in
      let steps = evidence.steps(of: ask)
      let end = ask.lifetime.map { steps[0].stored.ticks + $0.milliseconds }
      return steps.compactMap { step in
        if step.kind == .expired && end == nil { return "\(step), which has no time limit" }
        // After a reboot only the wall clock counts, and that may have been set.
        guard let end, step.stored.boot == steps[0].stored.boot else { return nil }
        switch step.kind {
        case .expired: return step.stored.ticks < end ? "\(step), which was not due before \(end) ms" : nil
        case .claimed:
          // A retried request no longer has a time limit.
          let isRetried = steps.contains { $0.kind == .retried && $0.index < step.index }
          return step.stored.ticks >= end && !isRetried
            ? "\(step), which had to happen before \(end) ms" : nil
        default: return nil
        }
      }
    }
  }
}
