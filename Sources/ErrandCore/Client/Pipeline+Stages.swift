/// The stages that few requests use.
extension Pipeline {
  /// Waits for the calls that this one depends on, and raises them to its priority.
  func afterOthers(
    _ request: Request, _ context: CallContext, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    let calls = request.options.dependencies
    if !calls.isEmpty {
      let rises = context.effectivePriority.onRaise { [effectivePriority = context.effectivePriority] _ in
        for call in calls { call.rise(with: effectivePriority) }
      }
      defer { context.effectivePriority.removeRaiseHandler(rises) }
      for call in calls { call.rise(with: context.effectivePriority) }
      try await Dependencies(calls).wait(unless: context.cancellation)
    }
    return try await next(request)
  }

  /// Ignores a repeat, or lets it share the request that is under way. (`latest` is handled when the call is
  /// made.)
  func unlessRepeated(
    _ request: Request, _ context: CallContext,
    _ next: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.repeats else { return try await next(request, context) }
    switch rule.kind {
    case .latest: return try await next(request, context)
    case .ignoring(let interval, let untilFailed):
      // A call that is already cancelled is not sent, so it must not cause repeats to be ignored.
      try context.cancellation.check()
      let key = try key(request, rule)
      let began = try repeats.admit(key, within: interval)
      do {
        return try await next(request, context)
      } catch {
        let hasLeft = context.sent > 0 && (error as? RequestError)?.reachedServer != false
        if untilFailed || !hasLeft { repeats.close(key, began: began) }
        throw error
      }
    case .sharing(var policy):
      try requireMemory(context, "shared")
      if request.fields.forbidStoring { policy.window = .zero }
      let response: Response
      do {
        response = try await repeats.share(
          try key(request, rule), policy, effectivePriority: context.effectivePriority,
          of: context.cancellation, progress: context.progress
        ) { inFlightRequest in
          try await self.fly(inFlightRequest, request, next)
        }
      } catch is InFlightRequest.WaitsForItself {
        return try await next(request, context)
      }
      // The caller that sent the request validates the response twice, which does no harm.
      if let rejection = request.options.validator.rejection(of: response) {
        throw rejection.error(of: response)
      }
      return response
    }
  }

  /// Sends the request that several callers share.
  private func fly(
    _ inFlightRequest: InFlightRequest, _ request: Request,
    _ next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    let watch = isIntercepted ? HoldWatch(of: inFlightRequest, timeline) : nil
    let context = CallContext(inFlightRequest, self, watch)
    // An interceptor may send this request again from a detached task, which is not linked to it.
    var request = request
    request.options.repeats = nil
    try context.enter(inFlight, asPart: true)
    defer { context.end() }
    guard let watch else { return try await next(request, context) }
    defer { watch.end() }
    do {
      return try await next(request, context)
    } catch {
      throw watch.failure ?? error
    }
  }

  /// Falls back on the cached response when the server is out of reach, or when the deadline passes, whatever
  /// the call then waits for.
  func orCached(
    _ request: Request, _ context: CallContext, _ next: (CallContext) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.caching, rule.policy == .staleIfError else {
      return try await next(context)
    }
    try requireMemory(context, "kept")
    let user = configuration.identity?()
    do {
      return try await inTime(context, next)
    } catch {
      var state = CacheState(rule.policy)
      guard state.failed(error) == .read,
        let found = await cachedResponse(to: request, rule, of: user, unless: context.cancellation),
        state.found(age: found.age(at: configuration.date())) == .deliverCached
      else { throw error }
      return found.response
    }
  }

  /// Returns the cached response, and caches the network's, as the request's policy says.
  func kept(
    _ request: Request, _ context: CallContext,
    _ next: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.caching else { return try await next(request, context) }
    try requireMemory(context, "kept")
    // Read before the request is sent: the response belongs to the identity that asked, even if it changes
    // meanwhile.
    let user = configuration.identity?()
    // Each call falls back by itself: see `orCached`.
    let state = CacheState(rule.policy == .staleIfError ? .networkOnly : rule.policy)
    var step = state.begin()
    var found: CachedResponse?
    while true {
      switch step {
      case .read:
        found = await cachedResponse(to: request, rule, of: user, unless: context.cancellation)
        step = state.found(age: found?.age(at: configuration.date()))
      case .ask:
        let response = try await next(request, context)
        await keep(response, to: request, rule, of: user, unless: context.cancellation)
        return response
      case .deliverCachedAndAsk:
        refresh(request, rule, of: user, beside: context, next)
        step = .deliverCached
      case .deliverCached:
        guard let found else { preconditionFailure("nothing is delivered that was not found") }
        return found.response
      case .fail: preconditionFailure("only what falls back fails here")
      }
    }
  }

  /// Ends `next` at the call's deadline, but lets the call itself continue without the network.
  private func inTime(_ context: CallContext, _ next: (CallContext) async throws -> Response) async throws
    -> Response
  {
    guard context.deadline != nil else { return try await next(context) }
    let limited = CallContext(
      cancellation: CancellationToken(), effectivePriority: context.effectivePriority,
      destination: context.destination, progress: context.progress,
      started: context.started, deadline: context.deadline)
    let link = context.cancellation.onCancel(stopping: limited.cancellation)
    limited.keepDeadline(on: timeline)
    defer {
      context.cancellation.removeCancelHandler(link)
      limited.end()
    }
    do {
      let response = try await next(limited)
      try limited.cancellation.finish()
      return response
    } catch {
      throw limited.cancellation.cause?.error(attempts: (error as? RequestError)?.attempt ?? 0) ?? error
    }
  }

  /// Renews the cached response from the network, while the call already returns the present one.
  private func refresh(
    _ request: Request, _ rule: CacheRule, of user: String?, beside context: CallContext,
    _ next: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) {
    let refreshing = CallContext(
      destination: .memory, progress: nil,
      effectivePriority: EffectivePriority(context.effectivePriority.current, canRise: false),
      started: timeline.now(), deadline: context.deadline)
    if context.effectivePriority.goesWithoutSlot { refreshing.effectivePriority.goWithoutSlot() }
    do {
      try refreshing.enter(inFlight, beside: context)
    } catch {
      return refreshing.end()
    }
    refreshing.keepDeadline(on: timeline)
    Task {
      defer { refreshing.end() }
      guard let response = try? await next(request, refreshing) else { return }
      await keep(response, to: request, rule, of: user, unless: refreshing.cancellation)
    }
  }

  func key(_ request: Request, _ rule: RepeatRule) throws(RequestError) -> RequestKey {
    try request.key(for: rule, secrets: configuration.secrets, identity: configuration.identity?())
  }

  private func requireMemory(_ context: CallContext, _ what: String) throws(RequestError) {
    if case .memory = context.destination { return }
    throw RequestError(
      .unsupported, message: "a response that is \(what) is held in memory: use send or start",
      reachedServer: false)
  }
}

extension RequestError.Rejection {
  fileprivate func error(of response: Response) -> RequestError {
    var error = error(
      response.status, response.fields, bodyPrefix: response.data.prefix(Receiver.prefixLimit))
    error.timing = response.timing
    error.attempt = response.timing.attempts
    return error
  }
}
