/// Passes a client's requests through its stages. It has the list of stages, and does the work before the
/// first and after the last.
final class Pipeline: Sendable {
  let transport: any Transport
  let timeline: Timeline
  let configuration: ClientConfiguration
  let inFlight = InFlight()
  let subscriptions = InFlight()
  let slots: Slots
  let subscriptionSlots: Slots
  let rateLimiter: RateLimiter
  let deadlines: Deadlines
  let cache: CacheAccess
  let coalescing: CoalescingStage
  let authentication: AuthenticationStage
  /// The stages of a request without rarely used options.
  private let stagesOfEvery: [any Stage]
  /// The stages of requests with such options, at the index of their raw value; nil for combinations that no request has
  /// used.
  private let stagesWithOptions = Locked([[any Stage]?](repeating: nil, count: StageOption.combinations))
  /// All stages, outermost first.
  private let stages: [any Stage]
  /// The stages of a request that the client's credential is for; nil if they are the same as
  /// `stagesOfEvery`.
  private let stagesWithCredential: [any Stage]?
  private let normalizer: RequestNormalizer
  private let clearing: SignInListener?
  let events: EventHolder

  init(transport: any Transport, configuration: ClientConfiguration) {
    let timeline = Timeline(configuration.clock)
    let secrets = configuration.secrets
    let identity = ClientIdentity(configuration.identity, configuration.authentication?.session)
    let interceptsAttempts = !configuration.attemptInterceptors.isEmpty
    let isIntercepted = interceptsAttempts || !configuration.interceptors.isEmpty
    let requestIdentity = RequestIdentity(
      client: identity, signer: configuration.signer, retry: configuration.retry)
    let slots = Slots(configuration.limits, timeline)
    let rateLimiter = RateLimiter(
      configuration.rateLimits, ageing: configuration.limits.ageing, timeline)
    let deadlines = Deadlines(timeline)
    let events = EventHolder(EventSource(configuration, timeline))
    let cache = CacheAccess(
      configuration.cache, identity: requestIdentity, secrets: secrets,
      memoryLimit: configuration.memoryLimit,
      date: configuration.date, timeline: timeline, deadlines: deadlines,
      onFailure: configuration.onCacheFailure)
    let invalidations = InvalidationLog()
    let coalescing = CoalescingStage(
      timeline, inFlight, identity: requestIdentity, secrets: secrets, events: events,
      invalidations: invalidations,
      isIntercepted: isIntercepted || configuration.signer != nil
        || configuration.authentication?.session.mayWait == true,
      isAuthenticated: configuration.authentication != nil)
    let renewal = BackgroundRenewal(
      timeline: timeline, inFlight: inFlight, deadlines: deadlines, events: events)
    let retries = RetryStage(
      configuration.retry, budget: configuration.retryBudget, random: configuration.random,
      date: configuration.date, timeline: timeline)
    let defaults = AttemptStage.Defaults(
      timeout: configuration.timeout, connectTimeout: configuration.connectTimeout,
      memoryLimit: configuration.memoryLimit, redirects: configuration.redirects,
      decoder: configuration.jsonDecoder, date: configuration.date)
    let cookies = configuration.cookies.map {
      CookieAccess($0, identity: identity, date: configuration.date)
    }
    let normalizer = RequestNormalizer(configuration)
    let credentialSender = CredentialSender(timeline: timeline, date: configuration.date)

    let authentication = AuthenticationStage(
      configuration.authentication, base: configuration.baseURL, identity: identity,
      isIntercepted: !configuration.interceptors.isEmpty, interceptsAttempts: interceptsAttempts,
      credentialSender)

    // The stages, outermost first.
    let stages: [any Stage] = [
      FallbackStage(cache, deadlines),
      DependencyStage(),
      InvalidationStage(invalidations, cache),
      coalescing,
      CacheStage(cache, renewal, invalidations),
      HTTPCacheStage(
        cache, configuration.cache as? HTTPCache, redirects: configuration.redirects, cookies: cookies,
        renewal: renewal, invalidations: invalidations),
      InterceptorStage(
        around: .call, configuration.interceptors, isUsed: isIntercepted, normalizer, secrets: secrets),
      NetworkStage(timeline),
      retries,
      HedgingStage(
        configuration.hedging, retries, slots, inFlight, events, identity: identity, timeline: timeline,
        isIntercepted: isIntercepted, date: configuration.date),
      authentication,
      InterceptorStage(
        around: .attempt, configuration.attemptInterceptors, isUsed: interceptsAttempts, normalizer,
        secrets: secrets),
      RateLimitStage(
        configuration.rateLimits, rateLimiter, identity: identity, secrets: secrets,
        date: configuration.date),
      TracingStage(configuration.tracing),
      SigningStage(
        configuration.signer, at: configuration.signerOrigins ?? configuration.baseURL.map { [$0] },
        isIntercepted: isIntercepted,
        isAuthenticated: configuration.authentication != nil, redirects: configuration.redirects,
        cookies: cookies, secrets: secrets, date: configuration.date),
      SlotStage(slots, timeline, isIntercepted: isIntercepted),
      AttemptStage(
        transport, timeline, retries, defaults, cookies: cookies, secrets: secrets,
        isIntercepted: isIntercepted),
    ]

    self.stages = stages
    stagesOfEvery = stages.filter { $0.usage == .everyRequest }
    stagesWithCredential =
      authentication.usage == .requestsWithCredential
      ? stages.filter { $0.usage == .everyRequest || $0.usage == .requestsWithCredential } : nil
    self.events = events
    self.transport = transport
    self.timeline = timeline
    self.configuration = configuration
    self.slots = slots
    subscriptionSlots = Slots(configuration.limits.ofSubscriptions, timeline)
    self.rateLimiter = rateLimiter
    self.deadlines = deadlines
    self.cache = cache
    self.coalescing = coalescing
    self.authentication = authentication
    self.normalizer = normalizer
    clearing = configuration.authentication?.session.onClear { try await cache.removeResponses(of: $0) }
    credentialSender.attach { [weak self] request in
      guard let self else {
        throw CancellationToken.Cause.cancelled(.clientShutDown).error(reachedServer: false)
      }
      return try await send(request, into: .memory)
    }
  }

  /// Creates the context of a call of this request.
  /// - Parameters:
  ///   - canChange: True if the priority may be changed later.
  ///   - transport: Performs the call's attempts; nil for the client's transport.
  func context(
    of request: Request, into destination: Destination, progress: ProgressHub?, canChange: Bool,
    in scope: RequestScope? = nil, over transport: (any Transport)? = nil
  ) -> CallContext {
    CallContext(
      CallContext.Parts(
        destination: destination, transport: transport, progress: progress,
        effectivePriority: EffectivePriority(request.options.priority, canChange: canChange),
        started: timeline.now(), deadline: request.options.deadline ?? configuration.deadline,
        events: events.source?.begin(request, in: scope?.path)))
  }

  /// Registers a call with the client, its scope, its repeats and its activity. This happens when the call is
  /// made, before any part of it waits, so that calls count in the order in which they were made.
  /// - Parameter calls: The calls among which it counts. Default: those in flight.
  /// - Throws: `RequestError` (`cancelled`), if the client has been shut down or the scope has ended; also if
  ///   no key for its repeats can be made.
  func enter(
    _ request: Request, _ context: CallContext, _ scope: RequestScope?, among calls: InFlight? = nil
  ) throws(RequestError) {
    if request.options.takesNoSlot { context.effectivePriority.goWithoutSlot() }
    do {
      try context.enter(calls ?? inFlight)
      if let scope { try context.enter(scope) }
      if request.options.hasStages {
        try coalescing.enter(request, context)
        if let use = request.options.activity { context.show(use) }
      }
    } catch {
      context.end()
      let error = error.about(request, configuration.secrets)
      context.events?.failed(error)
      throw error
    }
    // With `staleIfError`, the deadline does not end the call: see `FallbackStage`.
    if request.options.caching?.policy != .staleIfError { context.keepDeadline(in: deadlines) }
  }

  /// Performs a request until it ends, or the current task is cancelled.
  /// - Parameter isForeign: True for a request to another origin, which a server asked for: it gets neither the client's
  ///   fields nor its interceptors.
  func send(
    _ request: Request, into destination: Destination, in scope: RequestScope? = nil,
    progress: ProgressHandler? = nil, over transport: (any Transport)? = nil, isForeign: Bool = false
  ) async throws -> Response {
    // The call is registered before anything waits. A virtual clock must not end its deadline before it begins.
    let clock = timeline.counting
    clock?.beginWork()
    let request = completed(request)
    let isWatched = progress != nil || request.options.activity != nil
    let context = context(
      of: request, into: destination, progress: isWatched ? ProgressHub(progress) : nil,
      canChange: scope != nil, in: scope, over: transport)
    do {
      try enter(request, context, scope)
    } catch {
      clock?.endWork()
      throw error
    }
    if let clock { await begin(on: clock) }
    return try await withTaskCancellationHandler {
      try await perform(request, context, isReady: isForeign, isIntercepted: !isForeign)
    } onCancel: {
      context.cancellation.cancel(.cancelled(.taskCancelled))
    }
  }

  // Not inlined, so that it costs only clients with such a clock.
  @inline(never)
  private func begin(on clock: any WorkCountingClock) async {
    await clock.enter()
    clock.endWork()
  }

  /// Performs a request through all stages, adds the request to any error, and ends the call's context.
  /// - Parameters:
  ///   - isReady: True if `ready` made the request, which gets no more fields of the client.
  ///   - isIntercepted: False to run none of the client's interceptors.
  func perform(
    _ request: Request, _ context: CallContext, isReady: Bool = false, isIntercepted: Bool = true
  ) async throws -> Response {
    do {
      let ready = isReady ? request : try ready(request)
      if authentication.hasSession { await authentication.prepare(context) }
      var stages = stages(of: ready)
      if !isIntercepted { stages.removeAll { $0 is InterceptorStage } }
      var response = try await NextStage(stages)(ready, context)
      if !response.isNamed {
        response = response.handedOver(
          request.method, hiding: configuration.secrets, decoder: configuration.jsonDecoder)
      }
      await context.progress?.flush()
      if case .chunks(let stream) = response.body {
        context.end(with: stream, response)
        return response
      }
      try context.cancellation.finish()
      context.end()
      context.events?.finished(response)
      return response
    } catch {
      await context.progress?.flush()
      context.end()
      var stop = context.cancellation.failure(attempts: (error as? RequestError)?.attempt ?? 0)
      // The call's own token does not know about a shared request on the wire.
      if (error as? RequestError)?.reachedServer == true { stop?.reachedServer = true }
      let error = stop ?? error
      let named = (error as? RequestError)?.about(request, configuration.secrets) ?? error
      context.events?.failed(named)
      throw named
    }
  }

  private func stages(of request: Request) -> [any Stage] {
    if request.options.hasStages { return stages(with: request.options.stageOptions) }
    if let stagesWithCredential, authentication.concerns(request) { return stagesWithCredential }
    return stagesOfEvery
  }

  private func stages(with options: StageOption) -> [any Stage] {
    stagesWithOptions.withLock { known in
      if let stages = known[options.rawValue] { return stages }
      let found = stages.filter { stage in
        switch stage.usage {
        case .everyRequest, .requestsWithCredential: true
        case .requests(with: let option): options.contains(option)
        case .none: false
        }
      }
      known[options.rawValue] = found
      return found
    }
  }

  /// Returns the request with an absolute URL and an encoded body.
  func completed(_ request: Request) -> Request { normalizer.completed(request) }

  /// Returns the request as it is sent, including the fields of every request of this client.
  /// - Throws: `RequestError`, if the request cannot be sent.
  func ready(_ request: Request) throws(RequestError) -> Request { try normalizer.ready(request) }
}
