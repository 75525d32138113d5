#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs each attempt just before it waits for a slot. Signs it again when a redirect leads elsewhere, and
/// when the signer has corrected the reason why a signature was refused. Removes a credential that is for
/// another origin, and adds one for the request's origin if that may have it.
final class SigningStage: Stage {
  let usage: StageUsage
  /// The client's signer, for requests without another.
  private let signer: (any RequestSigner)?
  /// The canonical names of the origins that the client's signer signs for; nil if they are not known.
  private let origins: Set<String>?
  private let redirects: RedirectPolicy
  private let cookies: CookieAccess?
  private let secrets: Secrets
  private let date: @Sendable () -> Date

  /// - Parameters:
  ///   - signer: The signer of requests without one.
  ///   - origins: The origins that it signs for; nil if they are not known.
  ///   - isIntercepted: True if interceptors may give requests a signer on their way.
  ///   - isAuthenticated: True if an authenticator may do so.
  ///   - redirects: The policy of requests without one.
  init(
    _ signer: (any RequestSigner)?, at origins: [URL]?, isIntercepted: Bool, isAuthenticated: Bool,
    redirects: RedirectPolicy, cookies: CookieAccess?, secrets: Secrets, date: @escaping @Sendable () -> Date
  ) {
    self.signer = signer
    self.origins = origins.map { Set($0.compactMap { Origin($0)?.text }) }
    self.redirects = redirects
    self.cookies = cookies
    self.secrets = secrets
    self.date = date
    usage =
      signer != nil || isIntercepted
      ? .everyRequest : isAuthenticated ? .requestsWithCredential : .requests(with: .signing)
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    // Each further signature, after a redirect or a refusal, is made without the fields of the last one.
    var unsigned = try await withOwnCredential(request, context)
    var signers = try signers(of: unsigned)
    guard !signers.isEmpty || unsigned.options.credential != nil else {
      return try await next(unsigned, context)
    }
    if !signers.isEmpty { try unsigned.makeReady() }
    var pass = SigningPass(isSigned: !signers.isEmpty)
    while true {
      do {
        guard !signers.isEmpty else { return try await next(unsigned.passing(pass), context) }
        let signed = try await self.signed(unsigned, signers.map(\.signer), pass, context)
        do {
          let response = try await next(signed.request, context)
          guard try await mustSignAgain(signed.outgoing, response, signers.map(\.signer), context) else {
            return response
          }
        } catch let error as RequestError {
          guard try await mustSignAgain(signed.outgoing, error, signers.map(\.signer), context) else {
            throw error
          }
        }
      } catch is ExpectationFailed {
        // The signature may cover the field.
        unsigned.fields.remove("Expect")
      } catch let redirect as SignedRedirect {
        pass = redirect.pass
        try follow(redirect, of: &unsigned, &signers)
        context.events?.redirected(to: unsigned)
        let own = unsigned.options.ownSigner
        unsigned = try await withOwnCredential(unsigned, context, isRedirected: true)
        // An authenticator may give a request its signer.
        if unsigned.options.ownSigner != own { signers = try self.signers(of: unsigned) }
        pass.isSigned = !signers.isEmpty
      }
      unsigned = context.traced(unsigned)
    }
  }

  // MARK: Signers

  /// A signer of a request.
  private struct ActiveSigner {
    let signer: any RequestSigner
    /// The origins that it signs for wherever the request came from; empty for a request's own signer.
    var origins: Set<String> = []

    func maySign(_ target: URL, redirectedFrom url: URL) -> Bool {
      Origin(target).map { origins.contains($0.text) } == true || signer.maySign(target, redirectedFrom: url)
    }
  }

  private func signers(of request: Request) throws(RequestError) -> [ActiveSigner] {
    var signers = request.options.digests.map { ActiveSigner(signer: $0) }
    if let own = request.options.signer {
      signers.append(ActiveSigner(signer: own))
    } else if let signer, !request.options.isUnsigned {
      guard let origins else { throw Self.originsMissing }
      if origins.contains(request.address.originName) {
        signers.append(ActiveSigner(signer: signer, origins: origins))
      }
    }
    return signers
  }

  private static var originsMissing: RequestError {
    RequestError(
      .invalidRequest,
      message:
        "the client's signer has no origins: set configuration.signerOrigins, give the "
        + "client a base URL, or sign single requests with signed(by:)",
      reachedServer: false)
  }

  /// Returns the request with a credential for the origin that it leads to, if it has one.
  private func withOwnCredential(
    _ request: Request, _ context: CallContext, isRedirected: Bool = false
  ) async throws -> Request {
    guard let credential = request.options.credential, credential.isForeign(to: request) else {
      return request
    }
    do {
      return try await run(for: request, context) {
        isRedirected ? try await credential.redirected(request) : try await credential.moved(request)
      }
    } catch var error as RequestError where isRedirected {
      // The server that sent the redirect has seen the request.
      error.reachedServer = true
      throw error
    }
  }

  /// Runs an app's code before the request is sent. It may send a request that needs the token of this one.
  private func run<Value: Sendable>(
    for request: Request, _ context: CallContext, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let held = request.options.heldPass?.value
    held?.release()
    defer { held?.holdAgain() }
    return try await context.runInterruptibly(work)
  }

  // MARK: Signing

  private typealias Signed = (request: Request, outgoing: OutgoingRequest)

  private func signed(
    _ unsigned: Request, _ signers: [any RequestSigner], _ pass: SigningPass, _ context: CallContext
  ) async throws -> Signed {
    do {
      var request = try await (cookies?.added(to: unsigned, of: context) ?? unsigned).onWire(
        unless: context.cancellation, context.pins)
      guard let url = request.url else { preconditionFailure("a request without a problem has a URL") }
      let outgoing = OutgoingRequest(
        request.method, url, fields: request.fields, body: request.body, date: date())
      let signed = try await run(for: unsigned, context) {
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

  // MARK: Redirects

  /// Replaces the request by the one that a redirect asks for, and keeps the signers that may sign that.
  private func follow(
    _ redirect: SignedRedirect, of request: inout Request, _ signers: inout [ActiveSigner]
  ) throws {
    if let next = redirect.next {
      request = next
      return
    }
    let policy = request.options.redirects ?? redirects
    guard
      case .follow(let next) = try policy.step(
        request, redirect.head, followed: redirect.pass.followed - 1, secrets: secrets),
      let target = next.url, let url = request.url
    else { preconditionFailure("the last stage has already followed this redirect") }
    request = next
    if Origin(url) != Origin(target) { signers.removeAll { !$0.maySign(target, redirectedFrom: url) } }
  }

  // MARK: Refusals

  /// Returns true if a response that the request accepts says that it has to be signed once more.
  private func mustSignAgain(
    _ outgoing: OutgoingRequest, _ response: Response, _ signers: [any RequestSigner], _ context: CallContext
  ) async throws -> Bool {
    // A stream holds a slot, and an app's code must not run while a slot is held.
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
    _ outgoing: OutgoingRequest, _ status: HTTPStatus, _ fields: HTTPFields,
    _ prefix: @autoclosure () -> Data,
    _ signers: [any RequestSigner], _ context: CallContext
  ) async throws -> Bool {
    guard status.code >= 400, outgoing.body.isReplayable, !context.hasSignedAgain else { return false }
    let bodyPrefix = prefix()
    let shouldSign = try await context.runInterruptibly {
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

/// A response of a server that does not support `Expect` (417). The request is sent again without it, once
/// (RFC 9110, section 10.1.1), and may have to be signed for that.
struct ExpectationFailed: Error {}

/// A redirect to a target that has to be signed for, or that gets another credential, which both happen
/// without a slot.
struct SignedRedirect: Error {
  let head: ResponseHead
  /// The request that the redirect asks for; nil if the request is signed: the next one is then derived from
  /// the unsigned request.
  let next: Request?
  let pass: SigningPass
}

extension Request {
  /// Returns the request in the state in which the signing stage passes it on.
  fileprivate func passing(_ pass: SigningPass) -> Request { with { $0.options.signingPass = pass } }
}
