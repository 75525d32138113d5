#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Digest authentication (RFC 7616) with SHA-256 or MD5. The first request to an origin learns its challenge; later
/// ones use its nonce, or the one that the server gave since (`nextnonce`). There is nothing to refresh: a request
/// that is refused is sent once more with the challenge of its own response.
final class DigestSession: AnyCredentialSession {
  private let owner: CredentialIdentity
  private let user: String
  private let password: String
  /// True if the body is to be covered where the server offers that.
  private let protectsBody: Bool
  /// Makes the client's own nonces.
  private let random: @Sendable () -> UInt64
  /// The newest nonces, by the canonical name of the origin. There are no more of them than the credential has origins.
  private let nonces = Locked<[String: DigestNonce]>([:])

  init(
    user: String, password: String, protectsBody: Bool,
    random: @escaping @Sendable () -> UInt64 = { .random(in: 0...(.max)) }
  ) {
    owner = CredentialIdentity(named: user)
    self.user = user
    self.password = password
    self.protectsBody = protectsBody
    self.random = random
  }

  var identity: CallIdentity { CallIdentity(owner: owner.text) }
  func identityDigest() -> String? { owner.digest }

  func perform(
    _ request: Request, _ context: CallContext, era: Int, _ next: NextStage, _ sender: CredentialSender
  ) async throws -> Response {
    try owner.check(request)
    let origin = request.address.originName
    var nonce = nonces.withLock { $0[origin] }
    var isReplay = false
    while true {
      let sent = try await authenticated(request, nonce, context)
      let reply = await CredentialReply(to: sent) { try await next(sent, context) }
      guard let head = reply.head else { return try reply.outcome.get() }
      nonce?.received(head)
      guard head.status == 401, let challenge = DigestChallenge(head) else { return try reply.outcome.get() }
      let newest = learn(challenge, of: origin)
      guard !isReplay, nonce?.mayMeet(challenge) ?? true else { return try reply.outcome.get() }
      await reply.drop()
      guard request.body.isReplayable else { throw CredentialReply.notReplayable(head) }
      // The nonce of this response, and not of another that came since: it may be for another realm.
      nonce = newest
      isReplay = true
    }
  }

  private func learn(_ challenge: DigestChallenge, of origin: String) -> DigestNonce {
    nonces.withLock { [clientNonce] nonces in
      if let known = nonces[origin], known.isNonce(of: challenge) { return known }
      let new = DigestNonce(challenge, sessionNonce: challenge.isSession ? clientNonce() : "")
      nonces[origin] = new
      return new
    }
  }

  @Sendable private func clientNonce() -> String { random().hexadecimal(16) + random().hexadecimal(16) }

  // MARK: Credentials

  private func authenticated(
    _ request: Request, _ nonce: DigestNonce?, _ context: CallContext
  ) async throws -> Request {
    guard let nonce else { return request }
    let quality = nonce.challenge.quality(
      prefersBody: protectsBody, canCoverBody: request.body.isReplayable)
    guard quality == .authInt else { return authenticated(request, nonce, quality) }
    // The hash is over the body as it is sent (section 3.4.3), so it is compressed before.
    let request = try await request.onWire(unless: context.cancellation)
    let hash = nonce.challenge.hash
    let bodyHash = try await context.cancellation.interrupting { try await hash(request.body) }
    return authenticated(request, nonce, quality, bodyHash: bodyHash)
  }

  private func authenticated(
    _ request: Request, _ nonce: DigestNonce, _ quality: DigestChallenge.Quality?, bodyHash: String = ""
  ) -> Request {
    var request = request
    add(to: &request, nonce, quality, bodyHash)
    // The credential is for one target, so that of a redirect needs another.
    request.options.redirectCredential = RedirectCredential { [self] request in
      let hash = request.body.isNone ? nonce.challenge.hash("") : bodyHash
      add(to: &request, nonce, quality, hash)
    }
    return request
  }

  private func add(
    to request: inout Request, _ nonce: DigestNonce, _ quality: DigestChallenge.Quality?, _ bodyHash: String
  ) {
    guard let target = request.target else { return }
    let use = DigestUse(
      user: user, password: password, method: request.method.rawValue, target: target,
      use: nonce.use(clientNonce()), quality: quality, bodyHash: bodyHash)
    request.fields.set("Authorization", use.credentials(for: nonce.challenge), isSecret: true)
  }
}

extension DigestSession: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension Request {
  /// The path and the query, as they are in the request's first line.
  fileprivate var target: String? {
    URLReference(address.text).map { reference in
      (reference.path.isEmpty ? "/" : reference.path) + (reference.query.map { "?\($0)" } ?? "")
    }
  }
}
