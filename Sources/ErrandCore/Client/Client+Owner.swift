extension Client {
  /// Sends a request that ends with its owner, and hands the result to the owner if it still exists.
  ///
  /// The closure runs in the isolation in which it was formed: on the main actor, if `send` was called there.
  /// The request does not keep its owner alive; the closure does if it captures the owner, so use the one
  /// that it is given.
  /// - Parameters:
  ///   - owner: The object to whose `requests` scope the request is added. When the owner goes away, the
  ///     request is cancelled and `handler` is not called.
  ///   - handler: Called once with the response or the error, also if the request was cancelled while the
  ///     owner exists: `Error.isCancellation` tells.
  /// - Returns: The call, for cancelling it by hand.
  @discardableResult
  public func send<Owner: RequestOwner & Sendable>(
    _ request: Request, for owner: Owner,
    @_inheritActorContext then handler:
      @escaping @Sendable @isolated(any) (Owner, Result<Response, any Error>) -> Void
  ) -> Call {
    let call = start(request, in: owner.requests)
    // The weak reference is resolved in the handler's isolation, so that the owner is not retained anywhere
    // else.
    let deliver: @Sendable (Result<Response, any Error>, isolated (any Actor)?) async -> Void = {
      [weak owner] result, _ in
      if let owner { await handler(owner, result) }
    }
    Task { [isolation = handler.isolation] in await deliver(call.result, isolation) }
    return call
  }

  /// Sends a request for an actor that owns it: the closure runs on that actor, wherever `send` is called.
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

  /// Sends a request for an owner whose conformance is isolated to the main actor, as all are in a module
  /// whose default isolation is the main actor.
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
