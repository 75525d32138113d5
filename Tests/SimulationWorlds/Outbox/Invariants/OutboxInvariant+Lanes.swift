import ErrandCore
import ErrandOutbox

extension OutboxInvariant {
  static let arrivals = OutboxInvariant(name: "first arrivals of a lane are in the order of enqueue") {
    evidence in
    evidence.lanes.flatMap { _, asks -> [String] in
      asks.enumerated().flatMap { index, ask -> [String] in
        guard let first = evidence.arrivals(of: ask).first else { return [] }
        return asks[..<index].compactMap { earlier in
          // A request that is over does not block its lane, though it may be retried.
          let wasOver = evidence.steps(of: earlier).contains { $0.isOver && $0.time <= first.time }
          let hasCome = evidence.arrivals(of: earlier).first.map { $0.time <= first.time } ?? false
          return wasOver || hasCome ? nil : "\(ask) came at \(first.time), before \(earlier)"
        }
      }
    }
  }

  static let lanes = OutboxInvariant(
    name: "of a lane only the first is attempted that is not over, or holds it"
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
            return isInTheWay ? "\(ask) was claimed at \(step.time), when \(earlier) was \(state)" : nil
          }
        }
      }
    }
  }

  static let pauses = OutboxInvariant(name: "what is paused is not begun") { evidence in
    evidence.steps.compactMap { step in
      guard case .claimed = step.kind, step.isPaused else { return nil }
      return "\(step), though it was paused"
    }
  }
}

extension RowStep {
  /// True if the request is not open after this step; it may still be retried.
  var isOver: Bool { state.map { !$0.isOpen } ?? false }
}
