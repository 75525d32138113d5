import ErrandCore
import ErrandOutbox

extension OutboxInvariant {
  static let arrivals = OutboxInvariant(name: "the requests of a lane first arrive in the order of enqueue") {
    evidence in
    evidence.lanes.flatMap { _, asks -> [String] in
      asks.enumerated().flatMap { index, ask -> [String] in
        guard let first = evidence.arrivals(of: ask).first else { return [] }
        return asks[..<index].compactMap { earlier in
          // A request that has ended does not block its lane, although it may be retried.
          let wasOver = evidence.steps(of: earlier).contains { $0.isOver && $0.time <= first.time }
          let hasCome = evidence.arrivals(of: earlier).first.map { $0.time <= first.time } ?? false
          return wasOver || hasCome ? nil : "\(ask) arrived at \(first.time), before \(earlier)"
        }
      }
    }
  }

  static let lanes = OutboxInvariant(
    name: "only the first request of a lane is attempted that has not ended or that blocks it"
  ) {
    evidence in
    evidence.lanes.flatMap { _, asks -> [String] in
      asks.enumerated().flatMap { index, ask -> [String] in
        evidence.steps(of: ask).flatMap { step -> [String] in
          guard case .claimed = step.kind else { return [] }
          return asks[..<index].compactMap { earlier in
            let before = evidence.steps(of: earlier).last { $0.index < step.index && $0.state != nil }
            guard let state = before?.state else { return nil }
            let isInTheWay = state.isOpen || (state == .deadLettered && evidence.plan.lanePolicy == .block)
            return isInTheWay ? "\(ask) was claimed at \(step.time), while \(earlier) was \(state)" : nil
          }
        }
      }
    }
  }

  static let pauses = OutboxInvariant(name: "paused requests are not started") { evidence in
    evidence.steps.compactMap { step in
      guard case .claimed = step.kind, step.isPaused else { return nil }
      return "\(step), although it was paused"
    }
  }
}

extension RowStep {
  /// True if the request is not open after this step; it may still be retried.
  var isOver: Bool { state.map { !$0.isOpen } ?? false }
}
