import ErrandCore
import ErrandOutbox

extension OutboxInvariant {
  static let accepted = OutboxInvariant(
    name: "every accepted request is delivered, or its failure is reported"
  ) { evidence in
    evidence.asks.filter { $0.storing == .accepted }.compactMap { record in
      let steps = evidence.steps(of: record.ask)
      if let entry = evidence.entry(of: record.ask) {
        return steps.last { $0.state != nil }?.state == entry.state
          ? nil : "\(record.ask) is \(entry.state) in the store after \(steps)"
      }
      // A row may be forgotten only after it has ended.
      let last = steps.last { $0.state != nil }?.state
      let isForgotten = steps.last?.kind == .pruned && last.map { !$0.isOpen && $0 != .deadLettered } ?? false
      return isForgotten ? nil : "\(record.ask) no longer exists: \(steps)"
    }
  }

  static let bursts = OutboxInvariant(
    name: "requests that are stored together are all stored, or none of them"
  ) {
    evidence in
    Dictionary(grouping: evidence.asks, by: \.ask.burst).sorted { $0.key < $1.key }.compactMap {
      burst, records in
      let stored = records.filter { !evidence.steps(of: $0.ask).isEmpty }
      if !stored.isEmpty && stored.count < records.count {
        return "\(stored.count) of \(records.count) with #\(burst) are stored"
      }
      let isRefused = records.contains { $0.storing == .refused }
      return isRefused && !stored.isEmpty ? "#\(burst) was refused and is stored" : nil
    }
  }

  static let delivered = OutboxInvariant(
    name: "a delivered request was accepted by the server, unchanged"
  ) {
    evidence in
    evidence.stored.compactMap { ask in
      guard let step = evidence.steps(of: ask).first(where: { $0.kind == .delivered }) else { return nil }
      let isThere = evidence.arrivals(of: ask).contains {
        $0.status == 200 && $0.text == ask.text && $0.time <= step.time
      }
      if !isThere { return "\(ask) was delivered at \(step.time), and the server has not received it" }
      guard let entry = evidence.entry(of: ask), let response = entry.response else { return nil }
      if ask.resuming != nil, response.status.isSuccess, response.body.isEmpty { return nil }
      return response.status == 200 && String(decoding: response.body, as: UTF8.self) == "done: \(ask.text)"
        ? nil : "\(ask) got the response \(response)"
    }
  }

  static let once = OutboxInvariant(name: "a delivery is recorded once, and nothing follows it") {
    evidence in
    evidence.stored.compactMap { ask in
      let steps = evidence.steps(of: ask)
      guard let index = steps.firstIndex(where: { $0.kind == .delivered }) else { return nil }
      let after = steps[(index + 1)...].first { $0.kind != .pruned }
      return after.map { "\(ask) was delivered at \(steps[index].time), and then: \($0)" }
    }
  }

  static let keys = OutboxInvariant(name: "a request always has the same key, and no other request has it") {
    evidence in
    var owners: [String: Int] = [:]
    return evidence.stored.flatMap { ask -> [String] in
      let keys = Set(evidence.arrivals(of: ask).map(\.key))
      var found = keys.count > 1 ? ["\(ask) arrived with \(keys.count) keys"] : []
      for key in keys {
        if let other = owners[key] { found.append("\(ask) has the key of #\(other)") }
        owners[key] = ask.id
        if let entry = evidence.entry(of: ask), key != "\"\(entry.idempotencyKey)\"" {
          found.append("\(ask) arrived with \(key), and was stored with \(entry.idempotencyKey)")
        }
      }
      return found
    }
  }

  static let receipts = OutboxInvariant(name: "a follower of a request receives its end, and no false one") {
    evidence in
    evidence.waiting.map { "\($0) still waits, and received \($0.events.map(\.step))" }
      + evidence.follows.compactMap { follow in
        let outcomes = follow.events.compactMap(\.outcome)
        // A dead letter or an expired request may be retried, so that this was not the end.
        if !outcomes.dropLast().allSatisfy(\.mayGoOn)
          || (!outcomes.isEmpty && follow.events.last?.outcome == nil)
        {
          return "\(follow) received \(outcomes.count) ends"
        }
        let steps = evidence.steps(of: follow.row)
        if follow.end == .over, outcomes.isEmpty, steps.last?.kind != .pruned {
          return "\(follow) received no end: \(follow.events.map(\.step))"
        }
        // A row was in that state at the beginning, or reached it before the event was received: once for
        // each.
        let before = steps.last { $0.index < follow.mark && $0.state != nil }
        let meanwhile = steps.filter { $0.index >= follow.mark && $0.index < follow.heard }
        var states = ((before.map { [$0] } ?? []) + meanwhile)[...]
        for outcome in outcomes {
          guard let place = states.firstIndex(where: { $0.state == outcome.state }) else {
            return "\(follow), since step \(follow.mark), received \(outcome)"
          }
          states = states[(place + 1)...]
        }
        return nil
      }
  }
}

extension OutboxOutcome {
  fileprivate var mayGoOn: Bool { [.deadLettered, .expired].contains(state) }

  fileprivate var state: OutboxState {
    switch self {
    case .delivered: .delivered
    case .deadLettered: .deadLettered
    case .expired: .expired
    case .dropped: .dropped
    }
  }
}
