/// A place in a `RequestScope`. It does not keep the scope alive.
public struct ScopeMembership: Sendable {
  private let node: ScopeNode
  private let place: ScopeNode.Place?

  init(_ node: ScopeNode, _ place: ScopeNode.Place?) {
    self.node = node
    self.place = place
  }

  /// False if the scope had ended, so that what wanted to enter was called off instead.
  var isEntered: Bool { place != nil }

  /// Puts another call into the same scope.
  /// - Throws: The cancelled outcome, if it has ended.
  func enter(_ signal: StopSignal) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(.call(signal)) else {
      throw StopSignal.Stop.cancelled(node.ending ?? .scopeEnded("")).error
    }
    return ScopeMembership(node, place)
  }

  /// Leaves the scope, which then calls it off no more. More than once does nothing.
  public func leave() {
    if let place { node.leave(place) }
  }
}
