/// A place in a `RequestScope`. It does not keep the scope alive.
public struct ScopeMembership: Sendable {
  private let node: ScopeNode
  private let place: ScopeNode.Place?

  init(_ node: ScopeNode, _ place: ScopeNode.Place?) {
    self.node = node
    self.place = place
  }

  /// False if the scope had ended, so that the member was cancelled instead.
  var isEntered: Bool { place != nil }

  /// Puts another call into the same scope.
  /// - Throws: The cancelled outcome, if the scope has ended.
  func enter(_ cancellation: CancellationToken) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(.call(cancellation)) else {
      throw CancellationToken.Cause.cancelled(node.ending ?? .scopeEnded("")).error
    }
    return ScopeMembership(node, place)
  }

  /// Leaves the scope, which then does not cancel the member any more. Leaving again does nothing.
  public func leave() {
    if let place { node.leave(place) }
  }
}
