/// A scope without its handle. What is in it holds on to this, so that nothing but its owner keeps the handle alive.
final class ScopeNode: Sendable {
  typealias State = RequestScopeState<ScopeMember, ScopeNode>
  typealias Place = State.Place

  private let state = Locked(State())

  init() {}

  /// Why it ended, if it has.
  var ending: CancellationReason? { state.withLock { $0.ending } }

  /// How many are in it and below.
  var count: Int {
    var count = 0
    var waiting = [self]
    while let node = waiting.popLast() {
      let (here, below) = node.state.withLock { ($0.count, $0.below) }
      count += here
      waiting += below
    }
    return count
  }

  /// Nil if it has ended.
  func enter(_ member: ScopeMember) -> Place? { state.withLock { $0.enter(member) } }

  func leave(_ place: Place) {
    // Let go of outside the lock: the last holder of an action may be this, and its end may be anything.
    _ = state.withLock { $0.leave(place) }
  }

  /// Nil if it has ended; then the child has ended with it.
  func adopt(_ child: ScopeNode) -> State.ChildPlace? {
    let (place, ending) = state.withLock { ($0.adopt(child), $0.ending) }
    if let ending { child.end(ending) }
    return place
  }

  func disown(_ place: State.ChildPlace) { _ = state.withLock { $0.disown(place) } }

  /// Calls off all that is in it and below at this moment, innermost first.
  func cancelAll(_ reason: CancellationReason) {
    var order: [ScopeNode] = []
    var waiting = [self]
    while let node = waiting.popLast() {
      order.append(node)
      waiting += node.state.withLock { $0.below }
    }
    // All is taken out before anything is called off, so that what enters because of it stays.
    let members = order.reversed().flatMap { node in node.state.withLock { $0.takeAll() } }
    for tell in members.flatMap({ $0.callOff(reason) }) { tell() }
  }

  func end(_ reason: CancellationReason) {
    for tell in prepareEnd(reason) { tell() }
  }

  /// Closes it and all below, outermost first, so that nothing slips in; then calls off what is in them, innermost first.
  /// A second caller has what the first has not reached.
  /// - Returns: What tells those who have to hear of it. It must be called.
  func prepareEnd(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    var order: [(node: ScopeNode, reason: CancellationReason)] = []
    var waiting = [self]
    while let node = waiting.popLast() {
      let (reason, below) = node.state.withLock { ($0.close(reason), $0.below) }
      order.append((node, reason))
      waiting += below
    }
    var tells: [@Sendable () -> Void] = []
    for (node, reason) in order.reversed() {
      tells += node.state.withLock { $0.takeAll() }.flatMap { $0.callOff(reason) }
      _ = node.state.withLock { $0.disownAll() }
    }
    return tells
  }
}
