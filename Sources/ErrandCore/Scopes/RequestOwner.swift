/// An object whose requests end with it: a page, a view model, a service.
///
/// Store a scope in a property. When the owner is deallocated, so is the scope, and the requests in it are
/// cancelled; `requests.end()` cancels them earlier. Let the client pass the result to the owner, if the
/// owner still exists:
///
/// ```swift
/// @MainActor final class Profile: RequestOwner {
///   let requests = RequestScope("profile")
///   var name = ""
///
///   func load() {
///     client.send(.get(url), for: self) { profile, result in
///       profile.name = (try? result.get().text) ?? ""
///     }
///   }
/// }
/// ```
///
/// This does not keep the owner alive: the closure receives the owner, so it need not capture `self`.
///
/// ## The trap
///
/// Code that holds the owner, or its scope, while it awaits the response keeps the owner alive. Its scope
/// then never ends, and no request is cancelled:
///
/// ```swift
/// requests.task { [weak self] in
///   guard let self else { return }                          // holds the owner ...
///   name = try await client.send(.get(url)).text            // ... for as long as this takes
/// }
/// ```
///
/// `await self?.load()`, and `client.send(request, in: self.requests)` in a task that awaits it, hold the
/// owner in the same way. Use the owner only after the wait:
///
/// ```swift
/// requests.task { [weak self, client, url] in
///   let response = try await client.send(.get(url))
///   self?.name = response.text
/// }
/// ```
public protocol RequestOwner: AnyObject {
  /// The scope of the owner's requests. Use a stored `let`: a lazy property may be created twice.
  var requests: RequestScope { get }
}

extension Client {
  /// Sends a request that ends with its owner, and passes the result to the owner if that still exists.
  ///
  /// The closure runs in the isolation in which it was formed, such as the main actor. The request does not
  /// keep its owner alive. The closure does if it captures the owner, so use the owner that it receives.
  /// - Parameters:
  ///   - owner: The object to whose `requests` scope the request is added. When the owner is released, the
  ///     request is cancelled and `handler` is not called.
  ///   - handler: Called once with the response or the error. It is also called if the request was cancelled
  ///     while the owner exists, which `Error.isCancellation` tells.
  /// - Returns: The call, which can be cancelled.
  @discardableResult
  public func send<Owner: RequestOwner & Sendable>(
    _ request: Request, for owner: Owner,
    @_inheritActorContext then handler:
      @escaping @Sendable @isolated(any) (Owner, Result<Response, any Error>) -> Void
  ) -> Call {
    let call = start(request, in: owner.requests)
    // The weak reference is resolved in the handler's isolation, so that only the handler retains the owner.
    let deliver: @Sendable (Result<Response, any Error>, isolated (any Actor)?) async -> Void = {
      [weak owner] result, _ in
      if let owner { await handler(owner, result) }
    }
    Task { [isolation = handler.isolation] in await deliver(call.result, isolation) }
    return call
  }

  /// Sends a request for an actor that owns it. The closure runs on that actor, wherever `send` is called.
  @discardableResult
  public func send<Owner: RequestOwner & Actor>(
    _ request: Request, for owner: Owner,
    then handler: @escaping @Sendable (isolated Owner, Result<Response, any Error>) -> Void
  ) -> Call {
    let call = start(request, in: owner.requests)
    Task { [weak owner] in
      let result = await call.result
      if let owner { await handler(owner, result) }
    }
    return call
  }

  /// Sends a request for an owner whose conformance is isolated to the main actor. In a module whose default
  /// isolation is the main actor, every conformance is.
  @MainActor
  @discardableResult
  public func send<Owner: RequestOwner>(
    _ request: Request, for owner: Owner,
    then handler: @escaping @MainActor (Owner, Result<Response, any Error>) -> Void
  ) -> Call {
    let call = start(request, in: owner.requests)
    Task { [weak owner] in
      let result = await call.result
      if let owner { handler(owner, result) }
    }
    return call
  }
}
