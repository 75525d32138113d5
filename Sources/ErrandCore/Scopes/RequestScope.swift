/// Requests that end together: those of a view, a page, a flow, a signed-in user.
///
/// Put a request into a scope when you send it. It leaves by itself the moment it finishes. Ending the scope calls off what
/// is still in it, whatever it is doing; `Error.isCancellation` tells such an outcome from a failure.
///
/// ```swift
/// let app = RequestScope("app")
/// let page = RequestScope("profile", in: app)
/// page.task { try await client.send(.get(url)) }
/// page.end()  // the page is gone, and so is its request
/// ```
///
/// Scopes nest: ending one ends those in it, innermost first. Keep a scope where its life is kept, as a property of the page
/// for instance: when the last reference to it goes away, it ends. What is in a scope does not keep it alive, nor does a
/// scope inside it. A function that is handed the scope and waits does, for as long as it waits: see `RequestOwner`.
///
/// All of it may be called from any thread, also from within what a scope calls off.
public final class RequestScope: Sendable {
  /// What it is called in reasons and messages; nothing depends on it.
  public let name: String
  private let node = ScopeNode()
  private let outer: (node: ScopeNode, place: ScopeNode.State.ChildPlace)?

  /// - Parameters:
  ///   - name: What it is called in reasons and messages.
  ///   - parent: The scope that it ends with. If that has ended, so has this one.
  public init(_ name: String = "", in parent: RequestScope? = nil) {
    self.name = name
    if let parent, let place = parent.node.adopt(node) {
      outer = (parent.node, place)
    } else {
      outer = nil
    }
  }

  deinit { end() }

  /// True once it takes nothing more in.
  public var hasEnded: Bool { node.ending != nil }

  /// How many requests, and other things, are in it and in the scopes below.
  public var count: Int { node.count }

  /// Calls off what is in it and below, and leaves it usable. What enters meanwhile may stay.
  /// - Parameter reason: What the requests' errors say. Default: `.scopeEnded` with this scope's name.
  public func cancelAll(reason: CancellationReason? = nil) {
    node.cancelAll(reason ?? .scopeEnded(name))
  }

  /// Calls off what is in it and below, and takes nothing more in, for ever. More than once does nothing.
  /// - Parameter reason: What the requests' errors say, also of those that come too late. Default: `.scopeEnded` with this
  ///   scope's name.
  public func end(reason: CancellationReason? = nil) {
    for tell in prepareEnd(reason) { tell() }
  }

  /// Ends it, and leaves it to the caller to tell those who have to hear of it.
  func prepareEnd(_ reason: CancellationReason?) -> [@Sendable () -> Void] {
    defer { if let outer { outer.node.disown(outer.place) } }
    return node.prepareEnd(reason ?? .scopeEnded(name))
  }

  /// Puts a call into the scope. Whoever does so also takes it out, when it has finished.
  /// - Throws: The cancelled outcome, with the reason of the end, if the scope has ended.
  func enter(_ signal: StopSignal) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(.call(signal)) else {
      throw StopSignal.Stop.cancelled(node.ending ?? .scopeEnded(name)).error
    }
    return ScopeMembership(node, place)
  }

  /// Puts anything that can be called off into the scope: a timer, a socket, another library's request.
  /// - Parameter action: Called once if the scope ends or calls off what is in it, unless the membership has been left
  ///   before; at once, if the scope has ended. It runs on the thread that ends the scope, so it must not wait.
  /// - Returns: To leave with, once there is nothing left to call off.
  @discardableResult
  public func onEnd(_ action: @escaping @Sendable () -> Void) -> ScopeMembership {
    let place = node.enter(.action(action))
    if place == nil { action() }
    return ScopeMembership(node, place)
  }
}

extension RequestScope: Hashable {
  /// Two are equal if they are one.
  public static func == (left: RequestScope, right: RequestScope) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
