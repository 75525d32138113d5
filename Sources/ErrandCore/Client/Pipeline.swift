#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The whole chain, outermost first. Built once for each client; what a request does not use costs it nothing. A class,
/// because every stage holds on to it.
final class Pipeline: Sendable {
  let transport: any Transport
  let timeline: Timeline
  let configuration: ClientConfiguration
  let inFlight = InFlight()
  let repeats: Repeats<Response>
  let slots: Slots
  let isIntercepted: Bool
  private let retries: Retries
  /// The client's own, one line of each name. A request that has none shares them.
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

  /// What a call belongs to, from the instant it is made: before anything of it waits, so that calls count in the order in
  /// which they were made.
  /// - Throws: The cancelled outcome, if that is over.
  func enter(_ request: Request, _ run: Run, _ scope: RequestScope?) throws(RequestError) {
    if request.options.takesNoSlot { run.urgency.goWithoutSlot() }
    do {
      try run.enter(inFlight)
      if let scope { try run.enter(scope) }
      if request.options.hasStages { try enterStages(request, run) }
    } catch {
      run.end()
      throw error.about(request, configuration.secrets)
    }
    // With an answer to fall back on, the deadline does not end the call: see `orKept`.
    if request.options.keeping?.policy != .onFailure { run.keepDeadline(on: timeline) }
  }

  private func enterStages(_ request: Request, _ run: Run) throws(RequestError) {
    if let rule = request.options.repeats, rule.kind == .latest {
      let place = repeats.begin(latest: try key(request, rule), run.signal)
      run.atEnd { [repeats] in repeats.end(latest: place) }
    }
    if let use = request.options.activity { run.show(use) }
  }

  /// A request's life. Its answer comes back the same way.
  func perform(_ request: Request, _ run: Run) async throws -> Response {
    try await ended(request, run) { request in
      let request = try self.ready(request)
      guard request.options.hasStages else { return try await self.sent(request, run) }
      return try await self.orKept(request, run) { run in
        try await self.afterOthers(request, run) { request in
          try await self.unlessRepeated(request, run) { request, run in
            try await self.kept(request, run) { request, run in
              try await self.sent(request, run)
            }
          }
        }
      }
    }
  }

  private func sent(_ request: Request, _ run: Run) async throws -> Response {
    // Each closure captures nothing, so that none is made anew for each request.
    try await aroundCall(request, run) { pipeline, run, request in
      try await pipeline.retried(request, run) { attempt in
        try await pipeline.aroundTry(request, run, attempt) { pipeline, run, attempt, request in
          try await pipeline.inSlot(request, run) {
            try await Attempt(attempt, run, pipeline).perform(request)
          }
        }
      }
    }
  }

  /// Says of every failure what it was about, and of every call that it is over.
  private func ended(
    _ request: Request, _ run: Run, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    do {
      var response = try await next(request)
      if !response.isNamed {
        response = response.handedOver(request.method, hiding: configuration.secrets)
      }
      await run.progress?.flush()
      if case .chunks(let stream) = response.body {
        run.end(with: stream)
        return response
      }
      try run.signal.finish()
      run.end()
      return response
    } catch {
      await run.progress?.flush()
      run.end()
      let error = run.signal.stopped.map { $0.error(tries: (error as? RequestError)?.attempt ?? 0) } ?? error
      throw (error as? RequestError)?.about(request, configuration.secrets) ?? error
    }
  }

  /// The request as it is sent: with what every request of this client carries.
  /// - Throws: If it cannot be sent.
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
    _ request: Request, _ run: Run,
    _ next: @escaping @Sendable (Pipeline, Run, Request) async throws -> Response
  ) async throws -> Response {
    guard isIntercepted else { return try await next(self, run, request) }
    let chain = chain(0, configuration.interceptors, run) { request in try await next(self, run, request) }
    run.watch?.take()
    defer { run.watch?.handOn() }
    return try await run.signal.interrupting(late: Self.drop) { try await chain(request) }
  }

  private func retried(
    _ request: Request, _ run: Run, _ next: (Int) async throws -> Response
  ) async throws -> Response {
    try await retries.perform(retryState(request), of: run, next)
  }

  private func retryState(_ request: Request) -> RetryState {
    RetryState(
      policy: request.options.retry ?? configuration.retry, method: request.method,
      hasIdempotencyKey: request.fields.contains("Idempotency-Key"), isReplayable: request.body.isReplayable)
  }

  /// Whether a transport that cannot ask before it sends a request again may take a kept connection. A safe request and one
  /// with a key do no harm twice, though their policy allows one attempt; a new connection for each would cost far more.
  func mayBeRepeated(_ request: Request, _ run: Run) -> Bool {
    if request.method.isSafe || request.fields.contains("Idempotency-Key") { return true }
    let limit = request.options.retry?.maxTries ?? configuration.retry.maxTries
    return run.used < limit && request.method.isIdempotent
  }

  func claimRepeat(_ request: Request, _ run: Run) -> Bool {
    var state = retryState(request)
    state.tries = run.used
    let lost = RequestError(.connectionLost, message: "", reachedServer: true)
    return state.mayRetry(RetryState.Failure(lost)) && retries.takeOne()
  }

  /// Waits for its turn. Between tries it has no slot, and goes to the tail of its priority; nor has it one while an
  /// interceptor has it in hand, so that nothing which that waits for can wait for this slot.
  private func inSlot(
    _ request: Request, _ run: Run, _ next: () async throws -> Response
  ) async throws -> Response {
    if isIntercepted { run.giveUpSlot() }
    let slot = try await slots.acquire(
      origin: request.address.originName, urgency: run.urgency, signal: run.signal)
    do {
      let response = try await next()
      if case .chunks(let stream) = response.body {
        hold(slot, for: stream, run)
      } else {
        slots.release(slot)
      }
      return response
    } catch {
      slots.release(slot)
      throw error
    }
  }

  private func hold(_ slot: Slot, for stream: ByteStream, _ run: Run) {
    guard isIntercepted else { return stream.onEnd { [slots] in slots.release(slot) } }
    let lease = SlotLease(slot, of: stream.signal, slots, timeline)
    stream.onEnd { lease.release() }
    run.hold(lease)
  }

  private func aroundTry(
    _ request: Request, _ run: Run, _ attempt: Int,
    _ next: @escaping @Sendable (Pipeline, Run, Int, Request) async throws -> Response
  ) async throws -> Response {
    guard !configuration.attemptInterceptors.isEmpty else {
      return try await next(self, run, attempt, request)
    }
    let chain = chain(attempt, configuration.attemptInterceptors, run) { request in
      try await next(self, run, attempt, request)
    }
    run.watch?.take()
    defer { run.watch?.handOn() }
    return try await chain(request)
  }

  private func chain(
    _ attempt: Int, _ interceptors: [any Interceptor], _ run: Run,
    _ next: @escaping @Sendable (Request) async throws -> Response
  ) -> Next {
    Next(attempt: attempt, interceptors: interceptors[...], run: run) { request in
      run.watch?.handOn()
      defer { run.watch?.take() }
      do { return try await next(request) } catch { throw self.told(error, request, run, attempt: attempt) }
    }
  }

  /// A failure as an interceptor catches it: what it is about, and why the call was called off, if it was.
  private func told(_ error: any Error, _ request: Request, _ run: Run, attempt: Int) -> any Error {
    let attempt = max(attempt, (error as? RequestError)?.attempt ?? 0)
    let error = run.signal.stopped.map { $0.error(tries: attempt) } ?? error
    guard var error = error as? RequestError else { return error }
    error.attempt = attempt
    return error.about(request, configuration.secrets)
  }

  /// An interceptor brought this when nobody waited any more.
  private static func drop(_ late: Response) {
    if case .chunks(let stream) = late.body { stream.signal.stop(.cancelled(.streamDropped)) }
  }
}
