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

  func redirects(of request: Request) -> RedirectPolicy { request.options.redirects ?? defaults.redirects }

  @inline(__always)
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let pass = request.options.signingPass
    let isSigned = pass?.isSigned == true
    let (number, began) = (context.used, pass?.began ?? timeline.now())
    var request = request
    var followed = pass?.followed ?? 0
    var hasAskedAgain = false
    var resends = Resends()
    var sent = 0
    while true {
      try context.cancellation.check()
      if resends.isPending {
        context.countSent()
        context.events?.tell(.resent)
      } else {
        if followed == 0 { context.countSent() }
        sent = context.sent
        context.events?.attemptStarted(request, attempt: sent, redirects: followed)
      }
      let transfer = Transfer(
        context, self, attempt: number, sent: sent, began: began, redirects: followed)
      let response: Response
      do {
        response = try await transfer.perform(
          // The signature may cover the cookies, so a signed request has them already.
          isSigned ? request : cookies?.added(to: request, of: context) ?? request)
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
          response, bodyLength: transfer.bodyLength(of: response), attempt: sent, redirects: followed)
      }
      if let cookies { await cookies.take(response.head, to: request, of: context) }
      switch try redirects(of: request).step(
        request, response.head, followed: followed, secrets: secrets)
      {
      case .follow(let next):
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
        if var rejection = rejection(of: response, to: request, transfer) {
          if context.isShared, !response.isCut { rejection.response = response }
          if case .chunks(let stream) = response.body { await stream.drop() }
          throw rejection
        }
        context.events?.validated()
        return response
      }
    }
  }

  /// Returns the error of a response that the validator rejects; nil if the validator accepts it.
  private func rejection(of response: Response, to request: Request, _ transfer: Transfer) -> RequestError? {
    let validator = request.options.validator
    guard
      let rejection = validator.problem(with: transfer.judged(response.head))
        ?? validator.problem(with: response, bodyLength: transfer.bodyLength(of: response))
    else { return nil }
    var error = rejection.error(response.status, response.fields, bodyPrefix: response.body.prefix)
    error.timing = response.timing
    error.origin = request.address.originName
    return error
  }
}
