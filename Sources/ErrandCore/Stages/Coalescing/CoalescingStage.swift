/// Ignores a repeat, or lets it share the request that is in flight. The newest call of a key is determined
/// when the call is made, before any wait: see `enter`.
final class CoalescingStage: Stage {
  let usage = StageUsage.requests(with: .repeats)
  private let coalescer: Coalescer<Response>
  private let timeline: Timeline
  private let inFlight: InFlight
  private let identity: RequestIdentity
  private let secrets: Secrets
  private let isIntercepted: Bool
  private let isAuthenticated: Bool
  private let events: EventHolder
  private let invalidations: InvalidationLog

  /// - Parameters:
  ///   - isIntercepted: True if the client has interceptors, a signer, or an authenticator that may wait.
  /// - isAuthenticated: True if the client has an authenticator.
  init(
    _ timeline: Timeline, _ inFlight: InFlight, identity: RequestIdentity, secrets: Secrets,
    events: EventHolder, invalidations: InvalidationLog, isIntercepted: Bool, isAuthenticated: Bool
  ) {
    self.invalidations = invalidations
    self.events = events
    coalescer = Coalescer(timeline, mayReplay: \.mayBeReplayed)
    self.timeline = timeline
    self.inFlight = inFlight
    self.identity = identity
    self.secrets = secrets
    self.isIntercepted = isIntercepted
    self.isAuthenticated = isAuthenticated
  }

  /// The state, for tests and benchmarks.
  var states: CoalescingStates<Response> { coalescer.states }

  /// Makes a call the newest of its key if its request says so, and cancels the previous one.
  /// - Throws: `RequestError`, if the request cannot have a key.
  func enter(_ request: Request, _ context: CallContext) throws(RequestError) {
    guard let rule = request.options.repeats, rule.kind == .latest else { return }
    // The call's identity may not be known yet, so it is not fixed here.
    let present = identity.present(request, in: .repeats)
    let place = coalescer.begin(latest: try key(request, rule, present), context.cancellation)
    context.atEnd { [coalescer] in coalescer.end(latest: place) }
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let rule = request.options.repeats else { return try await next(request, context) }
    switch rule.kind {
    case .latest: return try await next(request, context)
    case .ignoring(let interval, let untilFailed):
      return try await unlessRepeated(
        rule, within: interval, untilFailed: untilFailed, request, context, next)
    case .sharing(var policy):
      try context.requireMemory(for: "shared")
      // No other caller can want a response that comes over this transport.
      guard context.transport == nil else { return try await next(request, context) }
      if request.fields.forbidStoring { policy.window = .zero }
      let isWatched = mayBeHeld(request)
      let shared = isWatched || isAuthenticated ? unshared(request) : request
      let response: Response
      do {
        response = try await coalescer.share(
          try key(request, rule, context), policy, effectivePriority: context.effectivePriority,
          of: context.cancellation, isWatched: isWatched, progress: context.progress, events: context.events
        ) { inFlightRequest in
          try await self.send(inFlightRequest, shared, context, next)
        }
      } catch is InFlightRequest.WaitsForItself {
        return try await next(request, context)
      } catch let error as RequestError where error.code == .rejected {
        switch request.options.validator.judge(error) {
        case .accepted(let response): return response
        case .rejected(let error): throw error
        case .unknown: return try await next(request, context)
        }
      }
      // The caller that sent the request validates the response twice, which does no harm.
      if let rejection = request.options.validator.rejection(of: response) {
        throw rejection.error(of: response)
      }
      return response
    }
  }

  func key(_ request: Request, _ rule: RepeatRule, _ context: CallContext) throws(RequestError) -> RequestKey
  {
    try key(request, rule, identity(request, context, in: rule.sharesResponses ? .sharing : .repeats))
  }

  private func key(
    _ request: Request, _ rule: RepeatRule, _ identity: CallIdentity
  ) throws(RequestError) -> RequestKey {
    let key = try request.key(for: rule, secrets: secrets, identity: identity.text)
    guard rule.sharesResponses else { return key }
    // A read that begins after a change has another key, so it does not join one that began before.
    let change = invalidations.lastChange { names(of: request, rule) }
    return change == 0 ? key : key.partitioned(by: key.partition + [KeyField("change", "\(change)")])
  }

  /// The names by which a write makes a shared read out of date.
  private func names(of request: Request, _ rule: RepeatRule) -> [InvalidationLog.Name] {
    let keys = [rule.key, request.options.caching.map { RequestKey(stringLiteral: $0.name) }]
    return keys.compactMap(\.self).map { .key($0) } + [.url(secrets.redact(request.address.resourceText))]
  }

  private func unlessRepeated(
    _ rule: RepeatRule, within interval: Duration, untilFailed: Bool, _ request: Request,
    _ context: CallContext, _ next: NextStage
  ) async throws -> Response {
    // A call that is already cancelled is not sent, so it must not cause repeats to be ignored.
    try context.cancellation.check()
    let key = try key(request, rule, context)
    let began = try coalescer.admit(key, within: interval)
    do {
      return try await next(request, context)
    } catch {
      // An attempt that may have a second one is counted when both have ended, maybe after the call was cancelled.
      let mayHaveLeft = context.sent > 0 || context.cancellation.mayHaveSent
      let hasLeft = mayHaveLeft && (error as? RequestError)?.reachedServer != false
      if untilFailed || !hasLeft { coalescer.close(key, began: began) }
      throw error
    }
  }

  /// True if an app's code may hold the request back.
  private func mayBeHeld(_ request: Request) -> Bool { isIntercepted || request.options.ownSigner != nil }

  /// Returns the request that an app's code sees. The code may send it again from a detached task, which is
  /// not linked to the in-flight request.
  private func unshared(_ request: Request) -> Request {
    var request = request
    request.options.repeats = nil
    return request
  }

  /// Sends the request that several callers share.
  /// - Parameter caller: The context of the first caller.
  private func send(
    _ inFlightRequest: InFlightRequest, _ request: Request, _ caller: CallContext, _ next: NextStage
  ) async throws -> Response {
    let watch = inFlightRequest.joined.map {
      HoldWatch(joined: $0, inFlightRequest.cancellation, limit: InFlightRequest.longestHold, timeline)
    }
    let context = caller.forked { context in
      context.cancellation = inFlightRequest.cancellation
      context.effectivePriority = inFlightRequest.effectivePriority
      context.progress = inFlightRequest.progress
      context.started = timeline.now()
      // Each caller has its own deadline.
      context.deadline = nil
      context.watch = watch
      context.events = events.source?.begin(request, for: .sharing, id: inFlightRequest.id)
      context.isShared = true
    }
    do {
      try context.enter(inFlight, asPart: true)
      defer {
        watch?.end()
        context.end()
      }
      let response = try await next(request, context)
      context.events?.finished(response)
      return response
    } catch {
      let error = watch?.failure ?? error
      context.events?.failed(context.cancellation.failure ?? error)
      throw error
    }
  }
}

extension Result<Response, any Error> {
  /// False if the response must not be stored, not even for a sharing window.
  var mayBeReplayed: Bool {
    switch self {
    case .success(let response): !response.fields.forbidStoring
    case .failure(let error): (error as? RequestError)?.fields?.forbidStoring != true
    }
  }
}
