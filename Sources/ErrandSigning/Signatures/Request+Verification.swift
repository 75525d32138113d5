public import ErrandCore

extension Request {
  /// Accepts a response only if it is signed with a key (RFC 9421). Any other response fails with
  /// `RequestError(.integrityFailed)`.
  ///
  /// ```swift
  /// let key = try PublicKey(pem: pem).verificationKey()
  /// let order = try await client.send(.get(orderURL).verified(by: key))
  /// ```
  ///
  /// The head is verified before anything of the response is returned. The content is verified while it
  /// arrives, by the `Content-Digest` that the signature covers. A response in memory is returned, and a file
  /// is moved into place, only when it is completely verified. A stream delivers its bytes before it ends
  /// with the error. If the response has `Content-Encoding`, the signature has to cover it.
  ///
  /// A redirect is followed only if it is signed in the same way, and its signature covers `Location`. A
  /// response that the request rejects, such as a 404, fails as usual, without verification. A response that
  /// an interceptor makes is not verified.
  /// - Parameters:
  ///   - key: The key, whatever name a signature gives it.
  ///   - components: The components that the signature has to cover. Default: the status, and the method and
  ///     the URL of the request, so that the response to another request is not accepted.
  ///   - maxAge: The greatest age of the signature, which then needs `created`; nil to accept any. Default: 300 s.
  public func verified(
    by key: any VerificationKey, covering components: [MessageComponent] = MessageComponent.ofResponse,
    maxAge: Duration? = .seconds(300)
  ) -> Request {
    // One of the signatures has to be valid with this key. Signatures by other keys are ignored.
    var verifier = MessageVerifier(requiring: components) { _ in key }
    verifier.maximumAge = maxAge
    let policy =
      "\(components.map(\.identifier).joined(separator: " ")) within \(maxAge.map { "\($0)" } ?? "any time")"
    let fingerprint = (key as? any FingerprintedKey)?.fingerprint
    return verified(by: verifier, as: fingerprint.map { "by \($0), \(policy)" })
  }

  /// Verifies responses like `verified(by:covering:maxAge:)`, with the further options of a verifier: several
  /// keys, a tag, nonces.
  /// - Parameter verifier: The verifier. Its `requiredComponents` should bind the response to the request,
  ///   like `MessageComponent.ofResponse`. If it looks up keys with requests, send them with another client,
  ///   because this request keeps its slot meanwhile.
  public func verified(by verifier: MessageVerifier) -> Request { verified(by: verifier, as: nil) }

  /// - Parameter name: The same for verifiers that accept the same; nil if that is unknown.
  private func verified(by verifier: MessageVerifier, as name: String?) -> Request {
    let identity = "a signature \(name ?? "of number \(UInt64.random(in: 0...(.max)))")"
    return filtered(by: SignatureFilter(verifier: verifier, identity: identity))
  }
}
