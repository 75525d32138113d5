/// A group of requests that end together, such as those of a view, a page, a flow or a signed-in user.
///
/// Put a request into a scope when you send it. The request leaves the scope when it finishes. Ending the
/// scope cancels all requests in it, whatever their state. `Error.isCancellation` tells that outcome from a
/// failure.
///
/// ```swift
/// let app = RequestScope("app")
/// let page = RequestScope("profile", in: app)
/// page.task { try await client.send(.get(url)) }
/// page.end()  // cancels the request
/// ```
///
/// Scopes nest: ending a scope ends the scopes inside it, innermost first. Store a scope in the object whose
/// lifetime it shares, such as in a property of the page. It ends when the last reference to it is released.
/// Neither its requests nor a scope inside it keep it alive. A function that holds the scope and waits keeps
/// it alive for that time: see `RequestOwner`.
///
/// All methods may be called on any thread, and also in handlers of a cancellation.
public final class RequestScope: Sendable {
  /// The name in reasons and messages, which has no other effect.
  public var name: String { path.name }
  let path: ScopeName
  private let node = ScopeNode()
  private let outer: (node: ScopeNode, place: ScopeNode.State.ChildPlace)?

  /// Creates a scope.
  /// - Parameters:
  ///   - name: The name in reasons and messages. Default: empty.
  ///   - parent: The scope that this one ends with. If the parent has ended, so has this one. Default: nil.
  public init(_ name: String = "", in parent: RequestScope? = nil) {
    path = ScopeName(name, in: parent?.path)
    if let parent, let place = parent.node.adopt(node) {
      outer = (parent.node, place)
    } else {
      outer = nil
    }
  }

  deinit { end() }

  /// True if the scope has ended, so that it accepts no more requests.
  public var isCancelled: Bool { node.ending != nil }

  /// The number of requests, and of other members, in the scope and in the scopes inside it.
  public var count: Int { node.count }

  /// Cancels all members of the scope and of the scopes inside it, and leaves it usable. Members that enter
  /// meanwhile may stay.
  /// - Parameter reason: The reason in the requests' errors. Default: `.scopeEnded` with this scope's name.
  public func cancelAll(reason: CancellationReason? = nil) {
    node.cancelAll(reason ?? .scopeEnded(name))
  }

  /// Ends the scope permanently. Cancels all members of it and of the scopes inside it, and accepts no more.
  /// Calling it again does nothing. The reason in the requests' errors is `.scopeEnded` with this scope's
  /// name.
  public func end() { cancel(reason: .scopeEnded(name)) }

  /// Ends the scope permanently, as `end()` does.
  /// - Parameter reason: The reason in the errors of its requests, and of requests that enter later.
  public func cancel(reason: CancellationReason) {
    for tell in prepareEnd(reason) { tell() }
  }

  /// Ends the scope, and returns the handlers that the caller must call.
  func prepareEnd(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    defer { if let outer { outer.node.disown(outer.place) } }
    return node.prepareEnd(reason)
  }

  /// Limits the priority of all requests in the scope and in the scopes inside it, and of those that enter
  /// later. Use it for a page that is not visible now, but may be again. The limit counts while the requests
  /// wait for a slot.
  /// - Parameter priority: The limit. Nil removes it, so that each request has its own priority again.
  public func limitPriority(to priority: Priority?) { node.limitPriority(to: priority) }

  /// Puts a call into the scope. The caller of this method also removes the call when it has finished.
  /// - Throws: The error of a cancelled call, with the reason of the scope's end, if the scope has ended.
  func enter(
    _ cancellation: CancellationToken, _ effectivePriority: EffectivePriority? = nil
  ) throws(RequestError) -> ScopeMembership {
    guard let place = node.enter(cancellation, effectivePriority) else {
      throw CancellationToken.Cause.cancelled(node.ending ?? .scopeEnded(name)).error(reachedServer: false)
    }
    return ScopeMembership(node, place)
  }

  /// Puts anything that can be cancelled into the scope, such as a timer, a socket or another library's
  /// request.
  /// - Parameter action: Called once when the scope ends or cancels its members, unless the member has left
  ///   before. If the scope has already ended, it is called at once. It runs on the thread that ends the
  ///   scope, so it must not wait.
  /// - Returns: The membership. Call its `leave()` when there is nothing left to cancel.
  @discardableResult
  public func onEnd(_ action: @escaping @Sendable () -> Void) -> ScopeMembership {
    let place = node.enter(.action(action))
    if place == nil { action() }
    return ScopeMembership(node, place)
  }
}

extension RequestScope {
  /// Calls `action` once when the scope ends permanently, or at once if it has ended. Cancelling the scope's
  /// members does not call it. The action is not a member of the scope, and runs on the thread that ends the
  /// scope.
  package func whenEnded(_ action: @escaping @Sendable () -> Void) { node.whenEnded(action) }
}

extension RequestScope: Hashable {
  /// Two scopes are equal if they are the same object.
  public static func == (left: RequestScope, right: RequestScope) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RequestScope {
  /// Puts a task into the scope. The task is cancelled when the scope ends, or at once if it has ended. It
  /// leaves the scope when it has finished.
  /// - Returns: The membership. Call its `leave()` to take the task out earlier.
  @discardableResult
  public func insert<Success, Failure>(_ task: Task<Success, Failure>) -> ScopeMembership {
    let membership = onEnd { task.cancel() }
    if membership.isEntered {
      Task.detached(priority: .utility) {
        _ = await task.result
        membership.leave()
      }
    }
    return membership
  }

  /// Starts a task in the scope. The task is cancelled when the scope ends, or from its beginning if it has
  /// ended. It inherits the caller's actor, as `Task` does.
  ///
  /// The operation holds its captures until it is finished. If it uses the scope's owner, capture the owner
  /// weakly and use it after the wait, not before: see `RequestOwner`.
  @discardableResult
  public func task<Success: Sendable>(
    priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Success
  ) -> Task<Success, any Error> {
    let cancellation = CancellationToken()
    let membership = try? enter(cancellation)
    let task = Task(priority: priority) {
      defer { membership?.leave() }
      if membership == nil { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      return try await operation()
    }
    if membership != nil { _ = cancellation.onCancel { task.cancel() } }
    return task
  }
}

/// Runs `body` with a scope that ends when `body` returns or throws, and at once when its task is cancelled.
///
/// ```swift
/// let user = try await withRequestScope("sign in") { scope in
///   scope.task { try await client.send(.get(avatarURL)) }
///   return try await client.send(.get(userURL)).decode(User.self)
/// }
/// // Here the avatar has arrived, or its request has been cancelled.
/// ```
/// - Parameters:
///   - name: The name of the scope in reasons and messages. Default: empty.
///   - parent: A scope that this one ends with as well. Default: nil.
///   - body: Sends requests in the scope that it is given.
public func withRequestScope<Success, Failure: Error>(
  _ name: String = "", in parent: RequestScope? = nil,
  _ body: (RequestScope) async throws(Failure) -> Success
) async throws(Failure) -> Success {
  let scope = RequestScope(name, in: parent)
  defer { scope.end() }
  let outcome: Result<Success, Failure> = await withTaskCancellationHandler {
    do throws(Failure) {
      return .success(try await body(scope))
    } catch {
      return .failure(error)
    }
  } onCancel: {
    scope.cancel(reason: .taskCancelled)
  }
  return try outcome.get()
}

/// The name of a scope, and the names of the scopes around it.
final class ScopeName: Sendable {
  /// Deeper scopes show no outer scopes, because releasing an endless chain would overflow the stack.
  private static let deepest = 64

  let name: String
  private let outer: ScopeName?
  private let depth: Int

  init(_ name: String, in outer: ScopeName?) {
    self.name = name
    self.outer = outer.flatMap { $0.depth < Self.deepest ? $0 : nil }
    depth = (self.outer?.depth ?? 0) + 1
  }

  /// The names, outermost first.
  var path: [String] {
    var path = [name]
    var next = outer
    while let scope = next {
      path.append(scope.name)
      next = scope.outer
    }
    return path.reversed()
  }
}
