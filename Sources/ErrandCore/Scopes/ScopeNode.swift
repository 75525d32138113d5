/// The state of a scope without its public handle. Members refer to this node, so that only the scope's owner
/// keeps the handle alive.
final class ScopeNode: Sendable {
  typealias State = RequestScopeState<ScopeMember, ScopeNode>
  typealias Place = State.Place

  private let state = Locked(State())

  init() {}

  /// The reason of the end; nil if the scope has not ended.
  var ending: CancellationReason? { state.withLock { $0.ending } }

  /// The number of members in the scope and inside it.
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

  /// Adds a member. Returns nil if the scope has ended.
  func enter(_ member: ScopeMember) -> Place? { state.withLock { $0.enter(member) } }

  /// Adds a call. Returns nil if the scope has ended.
  func enter(_ cancellation: CancellationToken, _ effectivePriority: EffectivePriority?) -> Place? {
    let (place, limit) = state.withLock { ($0.enter(.call(cancellation, effectivePriority)), $0.limit) }
    if var limit, let effectivePriority {
      // Another thread may change the limit meanwhile, and be faster.
      while true {
        effectivePriority.limit(to: limit)
        guard let new = state.withLock({ $0.limit }), new != limit else { break }
        limit = new
      }
      if state.withLock({ $0.limit }) == nil { effectivePriority.limit(to: nil) }
    }
    return place
  }

  /// Calls `action` when the scope has ended, or at once if it already has.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    if !state.withLock({ $0.keep(action) }) { action() }
  }

  /// Sets the highest priority of the calls in the scope and inside it.
  func limitPriority(to limit: Priority?) {
    let (members, below) = state.withLock { state in
      state.limit = limit
      return (state.all, state.below)
    }
    for case .call(_, let effectivePriority?) in members { effectivePriority.limit(to: limit) }
    for node in below { node.limitPriority(to: limit) }
  }

  func leave(_ place: Place) {
    // Released outside the lock: this may be the last reference to an action, whose deinitialisers can run
    // any code.
    _ = state.withLock { $0.leave(place) }
  }

  /// Adds an inner scope. Returns nil if this scope has ended, after ending the inner one, too.
  func adopt(_ child: ScopeNode) -> State.ChildPlace? {
    let (place, ending, limit) = state.withLock { ($0.adopt(child), $0.ending, $0.limit) }
    if let limit { child.limitPriority(to: limit) }
    if let ending { child.end(ending) }
    return place
  }

  func disown(_ place: State.ChildPlace) { _ = state.withLock { $0.disown(place) } }

  /// Cancels all current members of the scope and inside it, innermost first.
  func cancelAll(_ reason: CancellationReason) {
    var order: [ScopeNode] = []
    var waiting = [self]
    while let node = waiting.popLast() {
      order.append(node)
      waiting += node.state.withLock { $0.below }
    }
    // All members are removed before any is cancelled, so that members that enter because of a cancellation
    // stay.
    let members = order.reversed().flatMap { node in node.state.withLock { $0.takeAll() } }
    for tell in members.flatMap({ $0.cancel(reason) }) { tell() }
  }

  func end(_ reason: CancellationReason) {
    for tell in prepareEnd(reason) { tell() }
  }

  /// Closes the scope and all inner scopes, outermost first, so that no member can enter. Then cancels their
  /// members, innermost first. A second caller gets the members that the first has not reached.
  /// - Returns: The handlers that the caller must call.
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
      let (members, kept) = node.state.withLock { ($0.takeAll(), $0.takeKept()) }
      tells += members.flatMap { $0.cancel(reason) } + kept
      _ = node.state.withLock { $0.disownAll() }
    }
    return tells
  }
}

/// A member of a scope, which can be cancelled.
enum ScopeMember: Sendable {
  // A call is stored directly, so that it needs no closure.
  case call(CancellationToken, EffectivePriority?)
  case action(@Sendable () -> Void)

  /// Cancels the member. Returns the handlers to call once all members that end with it have been cancelled.
  func cancel(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    switch self {
    case .call(let cancellation, _): cancellation.prepareCancel(.cancelled(reason))
    case .action(let context): [context]
    }
  }
}

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
  /// - Throws: The error of a cancelled call, if the scope has ended.
  func enter(
    _ cancellation: CancellationToken, _ effectivePriority: EffectivePriority?
  ) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(cancellation, effectivePriority) else {
      throw CancellationToken.Cause.cancelled(node.ending ?? .scopeEnded("")).error(reachedServer: false)
    }
    return ScopeMembership(node, place)
  }

  /// Leaves the scope, which then no longer cancels the member. Leaving again does nothing.
  public func leave() {
    if let place { node.leave(place) }
  }
}
