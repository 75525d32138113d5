extension Client {
  /// Sends a request that ends with its owner, and hands the result to the owner if it is still there.
  ///
  /// The closure runs where it was formed: on the main actor, if that is where this was called. The request does not keep
  /// its owner alive; the closure does so if it captures it, so use the one that it is handed.
  /// - Parameters:
  ///   - owner: Whose `requests` the request is put in. When it goes away, the request is called off and nobody is told.
  ///   - handler: Called once with the answer or the error, also when the request was called off while the owner is there:
  ///     `Error.isCancellation` tells.
  /// - Returns: To cancel it by hand.
  @discardableResult
  public func send<Owner: RequestOwner & Sendable>(
    _ request: Request, for owner: Owner,
    @_inheritActorContext then handler:
      @escaping @Sendable @isolated(any) (Owner, Result<Response, any Error>) -> Void
  ) -> Call {
    let call = start(request, in: owner.requests)
    // The owner is looked for where it lives, so that nobody holds it anywhere else.
    let deliver: @Sendable (Result<Response, any Error>, isolated (any Actor)?) async -> Void = {
      [weak owner] result, _ in
      if let owner { await handler(owner, result) }
    }
    Task { [isolation = handler.isolation] in await deliver(call.result, isolation) }
    return call
  }

  /// The same for an actor: the closure runs on it, whoever calls.
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

  /// The same for an owner that is known as one on the main actor only, as all are in a module whose default is the main
  /// actor.
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
