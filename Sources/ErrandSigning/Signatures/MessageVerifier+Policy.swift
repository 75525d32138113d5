#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MessageVerifier {
  /// Checks everything that can be checked without the key.
  /// - Parameter fields: The names of fields that have to be covered, in any form.
  /// - Returns: The instant at which the signature expires; nil if it does not expire.
  func check(
    _ parameters: SignatureParameters, covering fields: [String], _ now: Date
  ) throws(SigningError) -> Date? {
    for component in requiredComponents where !parameters.covers(component) { throw notCovered(component) }
    for name in fields where !parameters.covers(fieldNamed: name) { throw notCovered(.field(name)) }
    if let created = parameters.created, created > now.addingTimeInterval(clockSkew.seconds) {
      throw SigningError(
        .notYetValid, "the signature was created in the future; check the clocks of both sides")
    }
    if let expires = parameters.expires, expires <= now {
      throw SigningError(.expired, "the signature has expired; the sender has to sign the message again")
    }
    var expiry = parameters.expires
    if let maximumAge {
      guard let created = parameters.created else { throw missing("created", "its age is unknown") }
      let last = created.addingTimeInterval(maximumAge.seconds)
      guard last >= now else {
        throw SigningError(
          .expired,
          "the signature is older than the \(maximumAge) that are accepted; the sender has to sign the message again"
        )
      }
      // `created` is in whole seconds, so the signature may have its greatest age for one more second.
      expiry = min(expiry ?? .distantFuture, last.addingTimeInterval(1))
    }
    if nonces != nil {
      if parameters.nonce == nil { throw missing("nonce", "a replay cannot be detected") }
      if expiry == nil { throw missing("expires", "its nonce would have to be kept forever") }
    }
    return expiry
  }

  private func notCovered(_ component: MessageComponent) -> SigningError {
    SigningError(
      .missingComponent,
      "the signature does not cover \(component), which is required; the sender has to cover it")
  }

  private func missing(_ name: String, _ reason: String) -> SigningError {
    SigningError(
      .missingParameter,
      "the signature has no \(name), so that \(reason); the sender has to add that parameter")
  }

  /// Checks the algorithm that the signature names, and that of the key, which is the one that is used.
  func check(_ named: SignatureAlgorithm?, _ algorithm: SignatureAlgorithm) throws(SigningError) {
    if let named, !algorithms.contains(named) {
      throw SigningError(
        .unknownAlgorithm,
        "the signature names an algorithm that is not accepted; sign with another algorithm")
    }
    guard algorithms.contains(algorithm) else {
      throw SigningError(
        .unknownAlgorithm, "the algorithm \(algorithm) of the key is not accepted; use another key")
    }
    if let named, named != algorithm {
      throw SigningError(
        .algorithmMismatch,
        "the signature names \(named), but its key is for \(algorithm); name the key's algorithm")
    }
  }
}

extension SignatureParameters {
  /// Returns true if the signature covers the whole field of this message.
  /// - Parameter name: The field's name in lower case.
  func covers(fieldNamed name: String) -> Bool {
    components.contains { $0.name == name && !$0.options.isOfRequest && $0.options.key == nil }
  }
}
