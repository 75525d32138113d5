/// A call that sends several requests, one after the other, such as a resumable upload. It has the deadline, the
/// activity and the progress of its request, belongs to a scope, and is superseded by newer requests; its parts do not.
package final class CompositeCall: Sendable {
  private let pipeline: Pipeline
  private let context: CallContext
  private let scope: RequestScope?
  /// The request as it is sent, with the client's fields.
  package let request: Request

  fileprivate init(_ pipeline: Pipeline, _ request: Request, _ context: CallContext, _ scope: RequestScope?) {
    self.pipeline = pipeline
    self.request = request
    self.context = context
    self.scope = scope
  }

  deinit { context.end() }

  /// Cancels the present part, and prevents further ones.
  package var cancellation: CancellationToken { context.cancellation }

  /// Sends a part, and returns its response, whose body is held in memory. The part makes one attempt, and does not
  /// get the client's fields, which `request` has.
  /// - Parameters:
  ///   - attempt: The number of the attempt that progress reports show.
  ///   - sent: The number of bytes that the server has before this part; nil to report no progress.
  ///   - total: The number of bytes of all parts.
  package func send(
    _ request: Request, attempt: Int, after sent: Int64?, of total: Int64
  ) async throws -> Response {
    try cancellation.check()
    var request = request
    request.options.activity = nil
    request.options.deadline = .longest
    request.options.retry = .never
    request.options.repeats = nil
    request.options.hedging = .never
    request.options.priority = context.effectivePriority.current
    let hub = sent.flatMap { sent in
      context.progress.map { whole in
        let hub = ProgressHub()
        hub.listen { part in
          var progress = TransferProgress(attempt: attempt)
          progress.sent = min(sent + part.sent, total)
          progress.sentTotal = total
          whole.follow(progress)
        }
        return hub
      }
    }
    let call = pipeline.context(of: request, into: .memory, progress: hub, canChange: true)
    call.events?.hideLocation()
    if request.options.takesNoSlot { call.effectivePriority.goWithoutSlot() }
    let link = cancellation.onCancel(stopping: call.cancellation)
    call.atEnd { [cancellation] in cancellation.removeCancelHandler(link) }
    do {
      try call.enter(pipeline.inFlight, asPart: true)
      if let scope { try call.enter(scope) }
      // As after a redirect, interceptors do not see a request to another origin, which they may add credentials to.
      let isAtHome = request.address.originName == self.request.address.originName
      let response = try await pipeline.perform(request, call, isReady: true, isIntercepted: isAtHome)
      cancellation.markSent()
      return response
    } catch {
      call.end()
      if cancellation.mayHaveSent == false, call.cancellation.mayHaveSent { cancellation.markSent() }
      throw error
    }
  }

  /// Reports progress between parts.
  package func tell(attempt: Int, sent: Int64, of total: Int64) {
    var progress = TransferProgress(attempt: attempt)
    progress.sent = sent
    progress.sentTotal = total
    context.progress?.follow(progress)
  }

  /// Waits before the next part.
  /// - Throws: `RequestError`, if the call is cancelled or its deadline passes.
  package func pause(_ wait: Duration) async throws {
    try await cancellation.interrupting { [timeline = pipeline.timeline] in try await timeline.sleep(wait) }
  }

  /// Returns how long to wait before the call is attempted again; nil to end with the error.
  /// - Parameters:
  ///   - failures: The number of failures since the last progress, including this one.
  ///   - mayRepeat: True if the next attempt repeats nothing that must not be repeated.
  package func wait(after error: RequestError, failures: Int, mayRepeat: Bool) -> Duration? {
    var policy = request.options.retry ?? pipeline.configuration.retry
    policy.statuses.formUnion(mayRepeat ? [423] : [])
    var state = RetryState(
      policy: policy, method: request.method,
      hasIdempotencyKey: mayRepeat || request.fields.contains("Idempotency-Key"), isReplayable: true)
    state.attempts = failures
    let remaining = context.deadline.map { $0 - (pipeline.timeline.now() - context.started) }
    var random = pipeline.configuration.random
    let decision = state.decide(
      after: RetryState.Failure(error), remaining: remaining, date: pipeline.configuration.date(),
      random: &random)
    if case .retry(let wait) = decision { return wait }
    return nil
  }

  /// Returns true if the server may get the request twice without harm.
  package var mayRepeat: Bool { request.mayRepeat(by: pipeline.configuration.retry) }

  /// Returns a request to the URL that a response to this call's request names, by the rules for redirects: without
  /// credentials if the URL has another origin.
  /// - Parameter allowsOtherOrigins: True if the URL may have another origin; nil to ask the redirect policy.
  /// - Throws: `RequestError`, if no request may be sent there.
  package func request(
    _ method: HTTPMethod, to location: String, allowsOtherOrigins: Bool? = nil
  ) throws(RequestError) -> Request {
    var request = request
    request.method = method
    request.body = .none
    request.options.credential = nil
    let head = ResponseHead(status: 307, fields: ["Location": location])
    let policy = request.options.redirects ?? pipeline.configuration.redirects
    var rules = RedirectPolicy(allowsDowngrade: policy.allowsDowngrade)
    rules.allowsOtherOrigins = allowsOtherOrigins ?? policy.allowsOtherOrigins
    guard
      case .follow(var moved)? = try? rules.step(
        request, head, followed: 0, secrets: pipeline.configuration.secrets)
    else {
      throw RequestError(
        .redirectRefused,
        message:
          "the server named a URL for the upload that is not used: it is invalid, leads from https to http, "
          + "or has an origin that the redirect policy excludes", reachedServer: true)
    }
    moved.address = moved.address.withSecretPath
    return moved
  }

  /// Returns a call of the same request that is not cancelled with this one, and has no progress, for work that is left
  /// when this one has ended.
  /// - Parameter deadline: The time that it may take.
  package func successor(within deadline: Duration) throws -> CompositeCall {
    let context = CallContext(
      CallContext.Parts(
        destination: .memory,
        effectivePriority: EffectivePriority(request.options.priority, canChange: false),
        started: pipeline.timeline.now(), deadline: deadline))
    try context.enter(pipeline.inFlight, asPart: true)
    context.keepDeadline(in: pipeline.deadlines)
    return CompositeCall(pipeline, request, context, nil)
  }

  /// Ends the call with its outcome: that of the work, or the reason why the call was cancelled before.
  /// - Parameter attempts: The number of attempts that were made.
  package func end(with outcome: Result<Response, any Error>, attempts: Int) async throws -> Response {
    await context.progress?.flush()
    defer { context.end() }
    do {
      let response = try outcome.get()
      try cancellation.finish()
      return response
    } catch {
      var stop = cancellation.failure
      let hasReached = cancellation.mayHaveSent || (error as? RequestError)?.reachedServer == true
      if hasReached { stop?.reachedServer = true }
      guard var failure = stop ?? (error as? RequestError) else { throw error }
      // The URL of an upload is as good as a password, so the error names the request that the caller made.
      failure.method = nil
      failure.attempt = attempts
      // An earlier part may have reached it.
      if hasReached { failure.reachedServer = true }
      throw failure.about(request, pipeline.configuration.secrets)
    }
  }
}

extension Client {
  /// Begins a call of several parts.
  /// - Throws: `RequestError`, if the request is invalid, the client has been shut down or the scope has ended.
  package func compose(
    _ request: Request, in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) throws -> CompositeCall {
    let ready: Request
    do { ready = try pipeline.ready(pipeline.completed(request)) } catch {
      throw error.about(request, secrets)
    }
    let isWatched = progress != nil || request.options.activity != nil
    let context = CallContext(
      CallContext.Parts(
        destination: .memory, progress: isWatched ? ProgressHub(progress) : nil,
        effectivePriority: EffectivePriority(request.options.priority, canChange: true),
        started: pipeline.timeline.now(),
        deadline: request.options.deadline ?? pipeline.configuration.deadline))
    try pipeline.enter(ready, context, scope)
    return CompositeCall(pipeline, ready, context, scope)
  }
}
