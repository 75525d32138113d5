#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The whole chain of stages, outermost first. Built once for each client; a stage that a request does not
/// use costs it nothing. A class, because every stage retains it.
final class Pipeline: Sendable {
  let transport: any Transport
  let timeline: Timeline
  let configuration: ClientConfiguration
  let inFlight = InFlight()
  let repeats: Repeats<Response>
  let slots: Slots
  let isIntercepted: Bool
  private let retries: Retries
  /// The client's own header fields, one line of each name. A request that has none uses this value without a
  /// copy.
  private let fields: HTTPFields

  init(transport: any Transport, configuration: ClientConfiguration) {
    self.transport = transport
    self.configuration = configuration
    timeline = Timeline(configuration.clock)
    repeats = Repeats(timeline, mayReplay: \.mayBeReplayed)
    slots = Slots(configuration.limits, timeline)
    retries = Retries(
      budget: configuration.retryBudget, random: configuration.random, date: configuration.date,
      timeline: timeline)
    isIntercepted = !(configuration.interceptors.isEmpty && configuration.attemptInterceptors.isEmpty)
    var fields = HTTPFields()
    fields.appendMissing(configuration.fields)
    self.fields = fields
  }

  /// Registers a call with the client, its scope, its repeats and its activity when it is made: before any
  /// part of it waits, so that calls count in the order in which they were made.
  /// - Throws: `RequestError` (`cancelled`), if the client has been shut down or the scope has ended; or if
  ///   it has no key for its repeats.
  func enter(_ request: Request, _ context: CallContext, _ scope: RequestScope?) throws(RequestError) {
    if request.options.takesNoSlot { context.effectivePriority.goWithoutSlot() }
    do {
      try context.enter(inFlight)
      if let scope { try context.enter(scope) }
      if request.options.hasStages { try enterStages(request, context) }
    } catch {
      context.end()
      throw error.about(request, configuration.secrets)
    }
    // With a cached response to fall back on, the deadline does not end the call: see `orCached`.
    if request.options.caching?.policy != .staleIfError { context.keepDeadline(on: timeline) }
  }

  private func enterStages(_ request: Request, _ context: CallContext) throws(RequestError) {
    if let rule = request.options.repeats, rule.kind == .latest {
      let place = repeats.begin(latest: try key(request, rule), context.cancellation)
      context.atEnd { [repeats] in repeats.end(latest: place) }
    }
    if let use = request.options.activity { context.show(use) }
  }

  /// Performs a request through all stages.
  func perform(_ request: Request, _ context: CallContext) async throws -> Response {
    try await ended(request, context) { request in
      let request = try self.ready(request)
      guard request.options.hasStages else { return try await self.sent(request, context) }
      return try await self.orCached(request, context) { context in
        try await self.afterOthers(request, context) { request in
          try await self.unlessRepeated(request, context) { request, context in
            try await self.kept(request, context) { request, context in
              try await self.sent(request, context)
            }
          }
        }
      }
    }
  }

  private func sent(_ request: Request, _ context: CallContext) async throws -> Response {
    // The closures capture nothing, so that no request allocates them.
    try await aroundCall(request, context) { pipeline, context, request in
      try await pipeline.retried(request, context) { attempt in
        try await pipeline.aroundAttempt(request, context, attempt) { pipeline, context, attempt, request in
          try await pipeline.inSlot(request, context) {
            try await Attempt(attempt, context, pipeline).perform(request)
          }
        }
      }
    }
  }

  /// Adds the request to every failure, and ends the call's context.
  private func ended(
    _ request: Request, _ context: CallContext, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    do {
      var response = try await next(request)
      if !response.isNamed {
        response = response.handedOver(request.method, hiding: configuration.secrets)
      }
      await context.progress?.flush()
      if case .chunks(let stream) = response.body {
        context.end(with: stream)
        return response
      }
      try context.cancellation.finish()
      context.end()
      return response
    } catch {
      await context.progress?.flush()
      context.end()
      let error =
        context.cancellation.cause.map { $0.error(attempts: (error as? RequestError)?.attempt ?? 0) } ?? error
      throw (error as? RequestError)?.about(request, configuration.secrets) ?? error
    }
  }

  /// Returns the request as it is sent: with the fields that every request of this client has.
  /// - Throws: `RequestError`, if it cannot be sent.
  func ready(_ request: Request) throws(RequestError) -> Request {
    var request = request
    if request.fields.isEmpty {
      request.fields = fields
    } else {
      request.fields.appendMissing(fields)
    }
    try request.makeReady()
    return request
  }

  func redirects(of request: Request) -> RedirectPolicy {
    request.options.redirects ?? configuration.redirects
  }

  /// Users' interceptors may wait for anything, so they run in a task that can be cancelled.
  private func aroundCall(
    _ request: Request, _ context: CallContext,
    _ next: @escaping @Sendable (Pipeline, CallContext, Request) async throws -> Response
  ) async throws -> Response {
    guard isIntercepted else { return try await next(self, context, request) }
    let chain = chain(0, configuration.interceptors, context) { request in
      try await next(self, context, request)
    }
    context.watch?.take()
    defer { context.watch?.handOn() }
    return try await context.cancellation.interrupting(late: Self.drop) { try await chain(request) }
  }

  private func retried(
    _ request: Request, _ context: CallContext, _ next: (Int) async throws -> Response
  ) async throws -> Response {
    try await retries.perform(retryState(request), of: context, next)
  }

  private func retryState(_ request: Request) -> RetryState {
    RetryState(
      policy: request.options.retry ?? configuration.retry, method: request.method,
      hasIdempotencyKey: request.fields.contains("Idempotency-Key"), isReplayable: request.body.isReplayable)
  }

  /// Returns whether a transport that cannot ask before it sends a request again may use a pooled connection.
  /// A safe request and one with an idempotency key may be sent twice without harm, though their policy
  /// allows one attempt; a new connection for each would cost far more.
  func mayBeRepeated(_ request: Request, _ context: CallContext) -> Bool {
    if request.method.isSafe || request.fields.contains("Idempotency-Key") { return true }
    let limit = request.options.retry?.maxAttempts ?? configuration.retry.maxAttempts
    return context.used < limit && request.method.isIdempotent
  }

  func claimRepeat(_ request: Request, _ context: CallContext) -> Bool {
    var state = retryState(request)
    state.attempts = context.used
    let lost = RequestError(.connectionLost, message: "", reachedServer: true)
    return state.mayRetry(RetryState.Failure(lost)) && retries.takeOne()
  }

  /// Waits for a slot. A call has no slot between attempts, and then queues at the tail of its priority; nor
  /// has it one while an interceptor holds it, so that nothing that the interceptor waits for can wait for
  /// this slot.
  private func inSlot(
    _ request: Request, _ context: CallContext, _ next: () async throws -> Response
  ) async throws -> Response {
    if isIntercepted { context.giveUpSlot() }
    let slot = try await slots.acquire(
      origin: request.address.originName, effectivePriority: context.effectivePriority,
      cancellation: context.cancellation)
    do {
      let response = try await next()
      if case .chunks(let stream) = response.body {
        hold(slot, for: stream, context)
      } else {
        slots.release(slot)
      }
      return response
    } catch {
      slots.release(slot)
      throw error
    }
  }

  private func hold(_ slot: Slot, for stream: ByteStream, _ context: CallContext) {
    guard isIntercepted else { return stream.onEnd { [slots] in slots.release(slot) } }
    let lease = SlotLease(slot, of: stream.cancellation, slots, timeline)
    stream.onEnd { lease.release() }
    context.hold(lease)
  }

  private func aroundAttempt(
    _ request: Request, _ context: CallContext, _ attempt: Int,
    _ next: @escaping @Sendable (Pipeline, CallContext, Int, Request) async throws -> Response
  ) async throws -> Response {
    guard !configuration.attemptInterceptors.isEmpty else {
      return try await next(self, context, attempt, request)
    }
    let chain = chain(attempt, configuration.attemptInterceptors, context) { request in
      try await next(self, context, attempt, request)
    }
    context.watch?.take()
    defer { context.watch?.handOn() }
    return try await chain(request)
  }

  private func chain(
    _ attempt: Int, _ interceptors: [any Interceptor], _ context: CallContext,
    _ next: @escaping @Sendable (Request) async throws -> Response
  ) -> Next {
    Next(attempt: attempt, interceptors: interceptors[...], context: context) { request in
      context.watch?.handOn()
      defer { context.watch?.take() }
      do { return try await next(request) } catch {
        throw self.told(error, request, context, attempt: attempt)
      }
    }
  }

  /// Returns a failure as an interceptor catches it: with its request, and with the reason if the call was
  /// cancelled.
  private func told(_ error: any Error, _ request: Request, _ context: CallContext, attempt: Int) -> any Error
  {
    let attempt = max(attempt, (error as? RequestError)?.attempt ?? 0)
    let error = context.cancellation.cause.map { $0.error(attempts: attempt) } ?? error
    guard var error = error as? RequestError else { return error }
    error.attempt = attempt
    return error.about(request, configuration.secrets)
  }

  /// Drops a response that an interceptor returned after the call had ended.
  private static func drop(_ late: Response) {
    if case .chunks(let stream) = late.body { stream.cancellation.cancel(.cancelled(.streamDropped)) }
  }
}
