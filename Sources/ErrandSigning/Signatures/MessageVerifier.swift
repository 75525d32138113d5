import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Verifies the signatures of messages: RFC 9421, section 3.2.
///
/// ```swift
/// var verifier = MessageVerifier(keys: [try publicKey.verificationKey()], requiring: [.method, .targetURI, .contentDigest])
/// verifier.maximumAge = .seconds(300)
/// verifier.nonces = MemoryNonceStore()
/// let signature = try await verifier.verify(SignableMessage(.post, url, fields: fields), content: body)
/// ```
///
/// A part that a signature does not cover can be anything: so the components that the application relies on have to be
/// required.
public struct MessageVerifier: Sendable {
  /// Returns the key for a signature, of which nothing is verified yet; nil if there is none.
  public typealias KeyLookup = @Sendable (SignatureParameters) async throws -> (any VerificationKey)?

  /// The components that a signature has to cover.
  public var requiredComponents: [MessageComponent]
  /// The tag that a signature has to have; nil: any or none.
  public var tag: String?
  /// The greatest age of a signature, which then has to say when it was created; nil: any.
  public var maximumAge: Duration?
  /// The time by which the signer's clock may be ahead. Default: 30 s.
  public var clockSkew: Duration = .seconds(30)
  /// The algorithms that are accepted. Default: all six of RFC 9421.
  public var algorithms: Set<SignatureAlgorithm> = [
    .ed25519, .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPSSSHA512, .rsaV15SHA256, .hmacSHA256,
  ]
  /// The nonces that were used. A signature then has to have a nonce, and to say when it expires, if `maximumAge` does
  /// not. Default: nil, so that a signature can be used again while it is valid.
  public var nonces: (any NonceStore)?
  /// The types of fields that are covered as structured fields.
  public var structuredFields = StructuredFieldTypes.standard
  private let lookup: KeyLookup

  /// - Parameter lookup: Finds the key of a signature.
  public init(requiring components: [MessageComponent], lookup: @escaping KeyLookup) {
    requiredComponents = components
    self.lookup = lookup
  }

  /// - Parameter keys: The keys that are accepted. A signature's `keyid` says which; a key without a name is used for
  ///   signatures whose `keyid` is none of the others', and the only key for those without `keyid`.
  public init(keys: [any VerificationKey], requiring components: [MessageComponent]) {
    self.init(requiring: components) { parameters in
      let named = keys.filter { $0.keyID != nil && $0.keyID == parameters.keyID }
      let candidates = named.isEmpty ? keys.filter { $0.keyID == nil || parameters.keyID == nil } : named
      // Of several with one name, the algorithm tells; any other choice would be a guess.
      if let algorithm = parameters.algorithm,
        let key = candidates.first(where: { $0.algorithm == algorithm })
      {
        return key
      }
      return candidates.count == 1 || !named.isEmpty ? candidates.first : nil
    }
  }

  /// Verifies one signature of a message.
  /// - Parameters:
  ///   - label: The label of the signature. Nil: the first that is valid, of those that have the tag.
  ///   - content: The content, as it was transferred, if it is verified with the digests that the signature covers.
  ///     It has to be covered then, unless it is empty. Nil: only the head is verified, and the content has to be
  ///     verified with `ContentDigest`.
  ///   - now: The time.
  /// - Returns: The signature, which is valid: what it covers is what was signed.
  /// - Throws: `SignatureError`; `DigestError` if the content is another; the error of the lookup, of the key or of
  ///   the store of nonces. If there are several signatures and none is valid, that of the first.
  @discardableResult
  public func verify(
    _ message: SignableMessage, label: String? = nil, content: Data? = nil, now: Date = Date()
  ) async throws -> VerifiedSignature {
    let fields = content?.isEmpty ?? true ? [] : [MessageComponent.contentDigest.name]
    return try await verify(message, label: label, covering: fields, content: content, now: now)
  }

  /// - Parameter fields: The names of fields that have to be covered, too, in any form.
  func verify(
    _ message: SignableMessage, label: String? = nil, covering fields: [String], content: Data? = nil,
    now: Date
  ) async throws -> VerifiedSignature {
    let entries = try MessageSignature.Entry.all(in: message.fields).filter { entry in
      (label == nil || entry.label == label) && (tag == nil || entry.tag == tag)
    }
    var failure: any Error = SignatureError(
      .noSignature,
      "the message has no signature"
        + (label == nil && tag == nil
          ? "; the sender has to sign it" : " with the label or the tag that is asked for"))
    for (index, entry) in entries.enumerated() {
      do {
        return try await verify(entry.signature(), of: message, covering: fields, content, now)
      } catch {
        if index == 0 { failure = error }
      }
    }
    throw failure
  }

  private func verify(
    _ signature: MessageSignature, of message: SignableMessage, covering fields: [String], _ content: Data?,
    _ now: Date
  ) async throws -> VerifiedSignature {
    let parameters = signature.parameters
    let expiry = try check(parameters, covering: fields, now)
    guard let key = try await lookup(parameters) else {
      throw SignatureError(
        .unknownKey,
        "there is no key for the signature \(signature.label.prefix(100)); get the key that its keyid names")
    }
    try check(parameters.algorithm, key.algorithm)
    let base = try message.signatureBase(for: parameters, structuredFields: structuredFields)
    guard try await key.isValid(signature.bytes, for: base) else {
      throw SignatureError(
        .invalidSignature,
        "the signature \(signature.label.prefix(100)) is not one of this message: what it covers was changed on its way, or it was "
          + "made with another key")
    }
    if let content, parameters.covers(fieldNamed: MessageComponent.contentDigest.name) {
      try ContentDigest(parsing: message.fields.values(of: ContentDigest.fieldName)).verify(content)
    }
    // Last, so that a message that is refused for anything else uses up no nonce.
    if let nonces, let nonce = parameters.nonce, let expiry {
      guard try await nonces.take(nonce, keyID: parameters.keyID, until: expiry, now: now) else {
        throw SignatureError(
          .replayed, "the nonce of the signature was used before: the message was sent twice")
      }
    }
    return VerifiedSignature(label: signature.label, parameters: parameters, algorithm: key.algorithm)
  }
}

/// A signature that is valid.
public struct VerifiedSignature: Sendable, Hashable {
  /// The name of the signature within its message; it says nothing about it.
  public let label: String
  /// The covered components and the parameters.
  public let parameters: SignatureParameters
  /// The algorithm of the key.
  public let algorithm: SignatureAlgorithm

  /// Returns true if the signature covers the component.
  public func covers(_ component: MessageComponent) -> Bool { parameters.covers(component) }
}
