public import ErrandCore

extension Request {
  /// Accepts a response only if it is signed with a key (RFC 9421); anything else fails with
  /// `RequestError(.integrityFailed)`.
  ///
  /// ```swift
  /// let key = try PublicKey(pem: pem).verificationKey()
  /// let order = try await client.send(.get(orderURL).verified(by: key))
  /// ```
  ///
  /// The head is verified before anything of the response is returned, and the content by the `Content-Digest` that the
  /// signature covers, while it arrives: a response in memory is returned, and a file is put in place, only when all of
  /// it is verified. A stream ends with the error, after the bytes that came before. `Content-Encoding` has to be covered
  /// if the response has it.
  ///
  /// A redirect is followed only if it is signed in the same way, and covers `Location`. A response that the request does
  /// not accept, such as a 404, fails as it would without this: nothing of it is verified. A response that an interceptor
  /// makes is not verified.
  /// - Parameters:
  ///   - key: The key, whatever name a signature gives it.
  ///   - components: The components that the signature has to cover. Default: the status, and the method and the URL of
  ///     the request, so that the response to another request is not accepted.
  ///   - maxAge: The greatest age of the signature, which then has to say when it was created; nil: any. Default: 300 s.
  public func verified(
    by key: any VerificationKey, covering components: [MessageComponent] = MessageComponent.ofResponse,
    maxAge: Duration? = .seconds(300)
  ) -> Request {
    // Of several signatures, by other keys too, one has to be this key's.
    var verifier = MessageVerifier(requiring: components) { _ in key }
    verifier.maximumAge = maxAge
    let policy =
      "\(components.map(\.identifier).joined(separator: " ")) within \(maxAge.map { "\($0)" } ?? "any time")"
    let fingerprint = (key as? any FingerprintedKey)?.fingerprint
    return verified(by: verifier, as: fingerprint.map { "by \($0), \(policy)" })
  }

  /// As `verified(by:covering:maxAge:)`, with all that a verifier can ask for: several keys, a tag, nonces.
  /// - Parameter verifier: Its `requiredComponents` should bind the response to the request, as
  ///   `MessageComponent.ofResponse` does. If it looks up keys with requests, they need another client: this request has
  ///   its slot meanwhile.
  public func verified(by verifier: MessageVerifier) -> Request { verified(by: verifier, as: nil) }

  /// - Parameter name: The same for verifiers that accept the same; nil if that is not known.
  private func verified(by verifier: MessageVerifier, as name: String?) -> Request {
    let identity = "a signature \(name ?? "of number \(UInt64.random(in: 0...(.max)))")"
    return filtered(by: SignatureFilter(verifier: verifier, identity: identity))
  }
}
