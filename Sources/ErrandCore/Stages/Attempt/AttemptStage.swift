#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes one attempt: sends the request, follows redirects, and validates the response. It is the last stage.
final class AttemptStage: Stage {
  /// The client's values for options that a request does not set.
  struct Defaults: Sendable {
    let timeout: Duration
    let connectTimeout: Duration?
    let memoryLimit: Int
    let redirects: RedirectPolicy
    let decoder: (@Sendable () -> JSONDecoder)?
    let date: @Sendable () -> Date
  }

  let usage = StageUsage.everyRequest
  let transport: any Transport
  let timeline: Timeline
  let retries: RetryStage
  let secrets: Secrets
  let isIntercepted: Bool
  let defaults: Defaults
  private let cookies: CookieAccess?

  /// - Parameters:
  ///   - retries: Decides whether a request may be sent twice within the attempt.
  ///   - isIntercepted: True if the client has interceptors.
  init(
    _ transport: any Transport, _ timeline: Timeline, _ retries: RetryStage, _ defaults: Defaults,
    cookies: CookieAccess?, secrets: Secrets, isIntercepted: Bool
  ) {
    self.cookies = cookies
    self.transport = transport
    self.timeline = timeline
    self.retries = retries
    self.defaults = defaults
    self.secrets = secrets
    self.isIntercepted = isIntercepted
  }

  private func redirects(of request: Request) -> RedirectPolicy {
    request.options.redirects ?? defaults.redirects
  }

  /// Returns true if a response is a redirect, and redirects are followed.
  func follows(_ head: ResponseHead, of request: Request) -> Bool {
    head.redirectLocation != nil && redirects(of: request).limit > 0
  }

  @inline(__always)
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let pass = request.options.signingPass
    let record = request.options.hasStages ? forwardRecord(of: request) : nil
    let isSigned = pass?.isSigned == true
    let began = pass?.began ?? timeline.now()
    var request = request
    var followed = pass?.followed ?? 0
    var hasAskedAgain = false
    var resends = Resends()
    var sent = 0
    if followed == 0 { record?.begins() }
    while true {
      try context.cancellation.check()
      if request.options.hasStages { try noteSending(of: request) }
      record?.isSent(at: defaults.date())
      if resends.isPending {
        context.countSent()
        context.events?.tell(.resent)
      } else {
        if followed == 0 { context.countSent() }
        sent = context.sent
        context.events?.attemptStarted(request, attempt: sent, redirects: followed)
      }
      let response: Response
      do {
        // The signature may cover the cookies, so a signed request has them already.
        let complete = isSigned ? request : withCookies(request, context)
        if isIntercepted || context.destination.isFile || !request.options.responseFilters.isEmpty {
          response = try await send(complete, context, sent: sent, began: began, redirects: followed)
        } else {
          // Most requests are sent unchanged, and need neither a copy nor further calls.
          response = try await Attempt(
            complete, context, self, sent: sent, began: began, redirects: followed
          ).response()
        }
      } catch is Download.AskAgain where !hasAskedAgain {
        hasAskedAgain = true
        if case .file(let download) = context.destination { download.forgetPart() }
        continue
      } catch is ExpectationFailed where !isSigned {
        request.fields.remove("Expect")
        continue
      } catch var error as RequestError {
        if error.status != nil { error.origin = request.address.originName }
        // A signature is valid for one attempt.
        let mayRepeat = !isSigned && retries.mayRepeat(request)
        guard resends.take(error, isReplayable: request.body.isReplayable, mayRepeat: mayRepeat) else {
          throw resends.completed(error, followed: followed)
        }
        continue
      }
      resends.isPending = false
      if let events = context.events {
        events.responded(
          response, bodyLength: context.destination.bodyLength(of: response), attempt: sent,
          redirects: followed)
      }
      if let cookies { await cookies.take(response.head, to: request, of: context) }
      switch try redirects(of: request).step(
        request, response.head, followed: followed + (record?.followed ?? 0), secrets: secrets)
      {
      case .follow(let next):
        record?.isRedirected(request, by: response, redirects(of: request), secrets)
        // Signing and getting a credential may take time, so they must not hold a slot.
        let isMoved = next.options.credential?.isForeign(to: next) == true
        if isSigned || isMoved {
          throw SignedRedirect(
            head: response.head, next: isSigned ? nil : next,
            pass: SigningPass(isSigned: isSigned, followed: followed + 1, began: began))
        }
        context.events?.redirected(to: next)
        request = context.traced(next)
        resends = Resends()
        followed += 1
      case .response:
        if response.status == 304, record?.isConditional == true || context.destination.isConditional {
          return response
        }
        if var rejection = rejection(of: response, to: request, context.destination) {
          if context.isShared || record != nil, !response.isCut { rejection.response = response }
          if case .chunks(let stream) = response.body { await stream.drop() }
          throw rejection
        }
        context.events?.validated()
        return response
      }
    }
  }

  // Not inlined, because most requests are not forwarded by the HTTP cache.
  @inline(never)
  private func forwardRecord(of request: Request) -> ForwardRecord? { request.options.forwardRecord?.value }

  // Not inlined, because most requests have no second attempt.
  @inline(never)
  private func noteSending(of request: Request) throws {
    try request.options.hedgeLeg?.isSent(request)
    request.options.heldPass?.value.begin()
  }

  // Not inlined, because most clients have no cookies.
  @inline(never)
  private func withCookies(_ request: Request, _ context: CallContext) -> Request {
    cookies?.added(to: request, of: context) ?? request
  }

  /// Sends a request that interceptors, a download or filters may change.
  private func send(
    _ request: Request, _ context: CallContext, sent: Int, began: Duration, redirects: Int
  ) async throws -> Response {
    var request = request
    // The interceptors' changes are checked before the body is opened, because a stream is opened once.
    if isIntercepted { try request.makeReady() }
    guard case .file(let download) = context.destination else {
      return try await Attempt(
        request, context, self, sent: sent, began: began, redirects: redirects
      ).examined()
    }
    try download.beginTransfer()
    defer { download.endTransfer() }
    try await download.waitForPart(unless: context.cancellation)
    return try await Attempt(
      download.prepare(request), context, self, sent: sent, began: began, redirects: redirects
    ).examined()
  }

  /// Returns the error of a response that the validator rejects; nil if the validator accepts it.
  private func rejection(
    of response: Response, to request: Request, _ destination: Destination
  ) -> RequestError? {
    let validator = request.options.validator
    guard
      let rejection = validator.problem(with: destination.judged(response.head))
        ?? validator.problem(with: response, bodyLength: destination.bodyLength(of: response))
    else { return nil }
    var error = rejection.error(response.status, response.fields, bodyPrefix: response.body.prefix)
    error.timing = response.timing
    error.origin = request.address.originName
    return error
  }
}
