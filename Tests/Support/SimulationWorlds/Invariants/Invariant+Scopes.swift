import ErrandCore
import ErrandTesting

extension Invariant {
  static let scopes = Invariant(name: "nothing is sent for a scope after it ended") { evidence in
    evidence.owners.flatMap { caller -> [String] in
      // A shared request continues for its other callers.
      guard caller.ask.rule?.isSharing != true, let end = caller.ask.scope.flatMap({ evidence.scopeEnds[$0] })
      else { return [] }
      return evidence.attempts(of: caller.ask).filter {
        $0.began > end.time || $0.ended ?? .longest > end.time
      }
      .map {
        "\(caller): attempt \($0.index) is in flight from \($0.began), and the scope ended at \(end.time)"
      }
    }
  }

  static let owners = Invariant(
    name: "an outcome is handed to its object once, and never to a deallocated one"
  ) {
    evidence in
    evidence.callers.filter(\.ask.isHanded).compactMap { caller in
      guard let end = caller.ends.first else { return nil }
      let mustBe = end.time < caller.gone ?? .longest
      let isWrong =
        caller.handed.count > 1 || (mustBe && caller.handed.isEmpty)
        || caller.handed.contains { $0 > caller.gone ?? .longest }
      return isWrong ? "\(caller) was handed over at \(caller.handed)" : nil
    }
  }
}
