#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs each attempt, the last thing before it waits for a slot; signs it anew when a redirect leads elsewhere, and
/// once more when its signer has mended the reason for which it was refused.
final class SigningStage: Stage {
  let usage: StageUsage
  private let signer: (any RequestSigner)?
  private let redirects: RedirectPolicy
  private let cookies: CookieAccess?
  private let secrets: Secrets
  private let date: @Sendable () -> Date

  /// - Parameters:
  ///   - signer: The signer of requests that have none of their own.
  ///   - isIntercepted: True if interceptors may give requests a signer on their way.
  ///   - isAuthenticated: True if an authenticator may.
  ///   - redirects: The policy of requests that have none of their own.
  init(
    _ signer: (any RequestSigner)?, isIntercepted: Bool, isAuthenticated: Bool, redirects: RedirectPolicy,
    cookies: CookieAccess?, secrets: Secrets, date: @escaping @Sendable () -> Date
  ) {
    self.signer = signer
    self.redirects = redirects
    self.cookies = cookies
    self.secrets = secrets
    self.date = date
    usage =
      signer != nil || isIntercepted
      ? .everyRequest : isAuthenticated ? .requestsWithCredential : .requests(with: .signing)
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    var signers = request.options.digests
    if let signer = request.options.signer ?? (request.options.isUnsigned ? nil : signer) {
      signers.append(signer)
    }
    guard !signers.isEmpty else { return try await next(request, context) }
    // A request that is signed anew, after a redirect or a refusal, begins without the fields of the last signature.
    var unsigned = request
    try unsigned.makeReady()
    var pass = SigningPass()
    while true {
      let signed = try await self.signed(unsigned, signers, pass, context)
      do {
        let response = try await next(signed.request, context)
        guard try await mustSignAgain(signed.outgoing, response, signers, context) else { return response }
        unsigned = context.traced(unsigned)
      } catch let redirect as SignedRedirect {
        pass = redirect.pass
        try follow(redirect, of: &unsigned, &signers)
        context.events?.redirected(to: unsigned)
        unsigned = context.traced(unsigned)
        if signers.isEmpty {
          pass.isSigned = false
          unsigned.options.signingPass = pass
          return try await next(unsigned, context)
        }
      } catch let error as RequestError {
        guard try await mustSignAgain(signed.outgoing, error, signers, context) else { throw error }
        unsigned = context.traced(unsigned)
      }
    }
  }

  // MARK: Signing

  private typealias Signed = (request: Request, outgoing: OutgoingRequest)

  private func signed(
    _ unsigned: Request, _ signers: [any RequestSigner], _ pass: SigningPass, _ context: CallContext
  ) async throws -> Signed {
    do {
      var request = try await (cookies?.added(to: unsigned, of: context) ?? unsigned).onWire(
        unless: context.cancellation)
      guard let url = request.url else { preconditionFailure("a request without a problem has a URL") }
      let outgoing = OutgoingRequest(
        request.method, url, fields: request.fields, body: request.body, date: date())
      let signed = try await run(context) {
        var outgoing = outgoing
        for signer in signers { try await signer.sign(&outgoing) }
        return outgoing
      }
      request.fields = signed.fields
      request.options.signingPass = pass
      return (request, signed)
    } catch var error as RequestError where pass.followed > 0 {
      // The server that sent the redirect has seen the request.
      error.reachedServer = true
      throw error
    }
  }

  /// Runs the signer as interceptors are run: it may wait for anything, so it runs in a task that can be cancelled.
  private func run<Value: Sendable>(
    _ context: CallContext, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    context.watch?.take()
    defer { context.watch?.handOn() }
    let nested = try NestedCall()
    return try await context.cancellation.interrupting { try await nested.run(work) }
  }

  // MARK: Redirects

  /// Makes the request the one that a redirect asks for, and leaves the signers that may sign that.
  private func follow(
    _ redirect: SignedRedirect, of request: inout Request, _ signers: inout [any RequestSigner]
  ) throws {
    let policy = request.options.redirects ?? redirects
    guard
      case .follow(let next) = try policy.step(
        request, redirect.head, followed: redirect.pass.followed - 1, secrets: secrets),
      let target = next.url, let url = request.url
    else { preconditionFailure("the last stage has taken the same step") }
    request = next
    if Origin(url) != Origin(target) { signers.removeAll { !$0.maySign(target, redirectedFrom: url) } }
  }

  // MARK: Refusals

  /// Returns true if a response that the request accepts says that it has to be signed once more.
  private func mustSignAgain(
    _ outgoing: OutgoingRequest, _ response: Response, _ signers: [any RequestSigner], _ context: CallContext
  ) async throws -> Bool {
    // A stream holds a slot, and no user's code runs with a slot in hand.
    if case .chunks = response.body { return false }
    return try await mustSignAgain(
      outgoing, response.status, response.fields, response.body.prefix, signers, context)
  }

  private func mustSignAgain(
    _ outgoing: OutgoingRequest, _ error: RequestError, _ signers: [any RequestSigner], _ context: CallContext
  ) async throws -> Bool {
    guard error.code == .rejected, let status = error.status else { return false }
    return try await mustSignAgain(
      outgoing, status, error.fields ?? [:], error.bodyPrefix ?? Data(), signers, context)
  }

  private func mustSignAgain(
    _ outgoing: OutgoingRequest, _ status: Status, _ fields: HTTPFields, _ prefix: @autoclosure () -> Data,
    _ signers: [any RequestSigner], _ context: CallContext
  ) async throws -> Bool {
    guard status.code >= 400, outgoing.body.isReplayable, !context.hasSignedAgain else { return false }
    let bodyPrefix = prefix()
    let shouldSign = try await run(context) {
      for signer in signers {
        if await signer.shouldSignAgain(outgoing, after: status, fields, bodyPrefix: bodyPrefix) {
          return true
        }
      }
      return false
    }
    return shouldSign && context.signAgain()
  }
}

/// A redirect of a signed request: its target has to be signed for, without a slot in hand.
struct SignedRedirect: Error {
  let head: ResponseHead
  let pass: SigningPass
}
