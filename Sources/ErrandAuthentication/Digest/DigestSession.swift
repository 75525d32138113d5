import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Digest authentication (RFC 7616) with SHA-256 or MD5. The first request to an origin learns its challenge.
/// Later requests use the nonce of that challenge, or the server's newer one (`nextnonce`). Nothing is
/// refreshed: a refused request is sent once more with the challenge of its response.
final class DigestSession: AnyCredentialSession {
  private let owner: CredentialIdentity
  private let user: String
  private let password: String
  /// True to cover the body if the server offers that.
  private let protectsBody: Bool
  /// Creates the client's nonces.
  private let random: @Sendable () -> UInt64
  /// The newest nonces, by the canonical name of the origin. Their number is bounded by that of the
  /// credential's origins.
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
  func identityDigest(on timeline: Timeline) -> String? { owner.digest }

  func perform(_ request: Request, _ call: CredentialCall) async throws -> Response {
    try owner.check(request)
    let origin = request.originName
    if request.body.isLarge, nonces.withLock({ $0[origin] == nil }) { try await ask(request, call) }
    // The challenges that this request has received, by the canonical name of the origin.
    var met: [String: DigestNonce] = [:]
    while true {
      let uses = DigestUses(met)
      let sent = try await attached(request, uses, call)
      let reply = await CredentialReply(to: sent, uses.trail) { try await call.send(sent) }
      guard let head = reply.head else { return try reply.outcome.get() }
      let (origin, nonce) = (reply.origin, uses.nonce(of: reply.origin))
      nonce?.received(head)
      guard head.status == 401, let challenge = DigestChallenge(head) else { return try reply.outcome.get() }
      let newest = learn(challenge, of: origin)
      guard met[origin] == nil, nonce?.mayMeet(challenge) ?? true else { return try reply.outcome.get() }
      await reply.drop()
      guard request.body.isReplayable else { throw CredentialReply.notReplayable(head) }
      // This response's nonce is used, not a later one of another response, which may be for another realm.
      met[origin] = newest
    }
  }

  /// Learns the challenge of an origin with a request without a body, so that a large body is sent once.
  /// - Throws: The error of an attempt that got no response.
  private func ask(
    _ request: Request, _ call: CredentialCall
  ) async throws {
    var question = request
    question.body = .none
    question.options.compressesBody = false
    question.options.bodyCoding = nil
    // The idempotency key is for the request with its body, and a server may count this request under it.
    question.fields.remove { field in
      let name = ASCII.lowercased(field.name)
      return name.hasPrefix("content-") || ["expect", "idempotency-key"].contains(name)
    }
    // No status is accepted, so this response does not reach the destination of the request's response.
    question = question.accepting([])
    let trail = CredentialTrail()
    trail.add(request.originName)
    let reply = await CredentialReply(to: question, trail) { [question] in try await call.send(question) }
    if case .failure(let error) = reply.outcome, (error as? RequestError)?.rejection == nil { throw error }
    guard let head = reply.head, head.status == 401, let challenge = DigestChallenge(head) else { return }
    _ = learn(challenge, of: reply.origin)
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

  /// Returns the request with a credential for its origin. If the request is led to another origin, a
  /// credential is made for that.
  private func attached(
    _ request: Request, _ uses: DigestUses, _ call: CredentialCall
  ) async throws -> Request {
    let origin = request.originName
    let nonce = uses.met[origin] ?? nonces.withLock { $0[origin] }
    uses.begin(nonce, at: origin)
    let quality = nonce?.challenge.quality(
      prefersBody: protectsBody, canCoverBody: request.body.isReplayable)
    var bare = request
    var bodyHash = ""
    if let nonce, quality == .authInt {
      // The hash covers the body as it is sent (section 3.4.3), so the body is compressed first.
      bare = try await call.onWire(request)
      let (hash, body) = (nonce.challenge.hash, bare.body)
      bodyHash = try await call.cancellation.interrupting { try await hash(body) }
    }
    var sent = bare
    if let nonce { add(to: &sent, nonce, quality, bodyHash) }
    // A credential is for one target, so a redirect needs another.
    sent.options.credential = AttachedCredential(bare, sent, at: call.origins.names) {
      [self, bodyHash] request in
      guard let nonce else { return }
      let hash = request.body.isNone ? nonce.challenge.hash("") : bodyHash
      add(to: &request, nonce, quality, hash)
    } attach: { [self] request in
      try await attached(request, uses, call)
    }
    return sent
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

/// The nonces of one attempt, by the canonical name of the origin.
private final class DigestUses: Sendable {
  /// The nonces of the challenges that the request has received before.
  let met: [String: DigestNonce]
  /// The origins that this attempt was sent to.
  let trail = CredentialTrail()
  private let used = Locked<[String: DigestNonce]>([:])

  init(_ met: [String: DigestNonce]) { self.met = met }

  func begin(_ nonce: DigestNonce?, at origin: String) {
    trail.add(origin)
    used.withLock { $0[origin] = nonce }
  }

  func nonce(of origin: String) -> DigestNonce? { used.withLock { $0[origin] } }
}
