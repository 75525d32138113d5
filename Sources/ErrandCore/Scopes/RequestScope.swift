/// A group of requests that end together: those of a view, a page, a flow, a signed-in user.
///
/// Put a request into a scope when you send it. The request leaves the scope when it finishes. Ending the
/// scope cancels all requests in it, whatever they are doing; `Error.isCancellation` distinguishes that
/// outcome from a failure.
///
/// ```swift
/// let app = RequestScope("app")
/// let page = RequestScope("profile", in: app)
/// page.task { try await client.send(.get(url)) }
/// page.end()  // the page is gone, and so is its request
/// ```
///
/// Scopes nest: ending one ends the scopes inside it, innermost first. Store a scope in the object whose
/// lifetime it shares, as a property of the page for instance: it ends when the last reference to it is
/// released. Neither its requests nor a scope inside it keep a scope alive. A function that is given the
/// scope and waits does, for as long as it waits: see `RequestOwner`.
///
/// All methods may be called from any thread, also from handlers of a cancellation.
public final class RequestScope: Sendable {
  /// The name in reasons and messages; it has no other effect.
  public let name: String
  private let node = ScopeNode()
  private let outer: (node: ScopeNode, place: ScopeNode.State.ChildPlace)?

  /// - Parameters:
  ///   - name: The name in reasons and messages.
  ///   - parent: The scope that this one ends with. If the parent has ended, so has this one.
  public init(_ name: String = "", in parent: RequestScope? = nil) {
    self.name = name
    if let parent, let place = parent.node.adopt(node) {
      outer = (parent.node, place)
    } else {
      outer = nil
    }
  }

  deinit { end() }

  /// True if the scope has ended: it accepts no more requests.
  public var isCancelled: Bool { node.ending != nil }

  /// The number of requests, and other members, in the scope and in the scopes below.
  public var count: Int { node.count }

  /// Cancels all members of the scope and of the scopes below, and leaves it usable. Members that enter
  /// meanwhile may stay.
  /// - Parameter reason: The reason in the requests' errors. Default: `.scopeEnded` with this scope's name.
  public func cancelAll(reason: CancellationReason? = nil) {
    node.cancelAll(reason ?? .scopeEnded(name))
  }

  /// Ends the scope for ever: cancels all members of it and of the scopes below, and accepts no more. Ending
  /// it again does nothing. The reason in the requests' errors is `.scopeEnded` with this scope's name.
  public func end() { cancel(reason: .scopeEnded(name)) }

  /// Ends the scope for ever, as `end()` does.
  /// - Parameter reason: The reason in the requests' errors, also of requests that come later.
  public func cancel(reason: CancellationReason) {
    for tell in prepareEnd(reason) { tell() }
  }

  /// Ends the scope, and returns the handlers for the caller to call.
  func prepareEnd(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    defer { if let outer { outer.node.disown(outer.place) } }
    return node.prepareEnd(reason)
  }

  /// Puts a call into the scope. The caller of this method also removes it, when the call has finished.
  /// - Throws: The cancelled outcome, with the reason of the end, if the scope has ended.
  func enter(_ cancellation: CancellationToken) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(.call(cancellation)) else {
      throw CancellationToken.Cause.cancelled(node.ending ?? .scopeEnded(name)).error
    }
    return ScopeMembership(node, place)
  }

  /// Puts anything that can be cancelled into the scope: a timer, a socket, another library's request.
  /// - Parameter action: Called once when the scope ends or cancels its members, unless the membership has
  ///   been left before; at once, if the scope has ended. It runs on the thread that ends the scope, so it
  ///   must not wait.
  /// - Returns: The membership, to leave with once there is nothing left to cancel.
  @discardableResult
  public func onEnd(_ action: @escaping @Sendable () -> Void) -> ScopeMembership {
    let place = node.enter(.action(action))
    if place == nil { action() }
    return ScopeMembership(node, place)
  }
}

extension RequestScope: Hashable {
  /// Two scopes are equal if they are the same object.
  public static func == (left: RequestScope, right: RequestScope) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
