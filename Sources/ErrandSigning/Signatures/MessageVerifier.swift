import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Verifies the signatures of messages (RFC 9421, section 3.2).
///
/// ```swift
/// var verifier = MessageVerifier(keys: [try publicKey.verificationKey()], requiring: [.method, .targetURI, .contentDigest])
/// verifier.maximumAge = .seconds(300)
/// verifier.nonces = MemoryNonceStore()
/// let signature = try await verifier.verify(SignableMessage(.post, url, fields: fields), content: body)
/// ```
///
/// A part that a signature does not cover may have been changed. So require all components that the
/// application relies on.
public struct MessageVerifier: Sendable {
  /// Returns the key for a signature; nil if the key is unknown. The parameters are not verified yet.
  public typealias KeyLookup = @Sendable (SignatureParameters) async throws -> (any VerificationKey)?

  /// The components that a signature has to cover.
  package var requiredComponents: [MessageComponent]
  /// The tag that a signature has to have; nil, the default, to accept any.
  public var tag: String?
  /// The greatest age of a signature, which then needs `created`; nil, the default, to accept any.
  public var maximumAge: Duration?
  /// The time by which the signer's clock may be ahead. Default: 30 s.
  public var clockSkew: Duration = .seconds(30)
  /// The algorithms that are accepted. Default: all six of RFC 9421.
  public var algorithms: Set<SignatureAlgorithm> = [
    .ed25519, .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPSSSHA512, .rsaV15SHA256, .hmacSHA256,
  ]
  /// The store of used nonces. With a store, a signature needs a nonce, and `expires` unless `maximumAge` is
  /// set. Default: nil, so that a signature can be used again while it is valid.
  public var nonces: (any NonceStore)?
  /// The types of the fields that are covered as structured fields.
  public var structuredFields: [String: StructuredFieldType] = [:]
  private let lookup: KeyLookup

  /// Makes a verifier that looks up its keys.
  /// - Parameters:
  ///   - components: The components that a signature has to cover.
  ///   - lookup: Finds the key of a signature.
  public init(requiring components: [MessageComponent], lookup: @escaping KeyLookup) {
    requiredComponents = components
    self.lookup = lookup
  }

  /// Makes a verifier with a fixed set of keys.
  /// - Parameters:
  ///   - keys: The accepted keys. The key with the signature's `keyid` is used. If no key has that name, a
  ///     key without a name is used. For a signature without `keyid`, an only key is used.
  ///   - components: The components that a signature has to cover.
  public init(keys: [any VerificationKey], requiring components: [MessageComponent]) {
    self.init(requiring: components) { parameters in
      let named = keys.filter { $0.keyID != nil && $0.keyID == parameters.keyID }
      let candidates = named.isEmpty ? keys.filter { $0.keyID == nil || parameters.keyID == nil } : named
      // Among several keys of one name, the algorithm decides. Any other choice would be a guess.
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
  ///   - message: The head of the message.
  ///   - label: The label of the signature; nil for the first valid signature among those with the tag.
  ///   - content: The content, as it was transferred, to verify it with `Content-Digest`. The signature then
  ///     has to cover that field, unless the content is empty. Nil to verify the head only; then verify the
  ///     content with `ContentDigest`.
  ///   - now: The time.
  /// - Returns: The signature, which is valid: the covered parts are those that were signed.
  /// - Throws: `SigningError`; `SigningError` if the content was changed; the error of the lookup, of the
  ///   key or of the store of nonces. If none of several signatures is valid, the error of the first.
  @discardableResult
  public func verify(
    _ message: SignableMessage, label: String? = nil, content: Data? = nil, now: Date = Date()
  ) async throws -> VerifiedSignature {
    let fields = content?.isEmpty ?? true ? [] : [MessageComponent.contentDigest.name]
    return try await verify(message, label: label, covering: fields, content: content, now: now)
  }

  /// - Parameter fields: The names of further fields that have to be covered, in any form.
  func verify(
    _ message: SignableMessage, label: String? = nil, covering fields: [String], content: Data? = nil,
    now: Date
  ) async throws -> VerifiedSignature {
    let entries = try MessageSignature.Entry.all(in: message.fields).filter { entry in
      (label == nil || entry.label == label) && (tag == nil || entry.tag == tag)
    }
    var failure: any Error = SigningError(
      .noSignature,
      "the message has no signature"
        + (label == nil && tag == nil
          ? "; the sender has to sign it" : " with the requested label and tag; check both, or accept any"))
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
      throw SigningError(
        .unknownKey,
        "the signature \(signature.label.prefix(100)) needs a key that is unknown; get the key that its keyid names"
      )
    }
    try check(parameters.algorithm, key.algorithm)
    let base = try message.signatureBase(for: parameters, structuredFields: structuredFields)
    guard try await key.isValid(signature.bytes, for: base) else {
      throw SigningError(
        .invalidSignature,
        "the signature \(signature.label.prefix(100)) does not match the message: a covered part was changed on its way, or it was "
          + "made with another key; get the message and the sender's key again")
    }
    if let content, parameters.covers(fieldNamed: MessageComponent.contentDigest.name) {
      try ContentDigest(parsing: message.fields.values(of: ContentDigest.fieldName)).verify(content)
    }
    // Last, so that a message that is refused for another reason does not use up its nonce.
    if let nonces, let nonce = parameters.nonce, let expiry {
      guard try await nonces.take(nonce, keyID: parameters.keyID, until: expiry, now: now) else {
        throw SigningError(
          .replayed, "the nonce of the signature was used before; sign each message with a new nonce")
      }
    }
    return VerifiedSignature(label: signature.label, parameters: parameters, algorithm: key.algorithm)
  }
}

/// A valid signature.
public struct VerifiedSignature: Sendable, Hashable {
  /// The name of the signature within its message. It has no further meaning.
  public let label: String
  /// The covered components and the parameters.
  public let parameters: SignatureParameters
  /// The algorithm of the key.
  public let algorithm: SignatureAlgorithm

  /// Returns true if the signature covers the component.
  public func covers(_ component: MessageComponent) -> Bool { parameters.covers(component) }
}
