public import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs messages with RFC 9421. As the signer of a request, it signs each attempt with the current time and
/// a new nonce.
///
/// ```swift
/// let key = try PrivateKey(pem: pem, keyID: "2026-07").signingKey(for: .ed25519)
/// let signer = try MessageSigner(key, covering: [.method, .targetURI, .contentDigest])
/// try await client.send(.post(url, json: order).signed(by: signer))
/// ```
///
/// If the signature covers `content-digest` and the request lacks it, the signer adds `Content-Digest`: it
/// reads the body once for that, before the body is sent. If the signature covers `content-length`, it covers
/// the length of the body.
public struct MessageSigner: RequestSigner {
  /// The nonce of a signature: a value that is used only once, so that a verifier can refuse replays.
  public enum Nonce: Sendable, Hashable {
    /// No nonce.
    case none
    /// 16 random bytes for each signature, in base64url.
    case random
    /// A nonce from a verifier, for one signature.
    case value(String)
  }

  /// The covered components, in the order in which they are signed.
  package let components: [MessageComponent]
  /// The label of the signature. A signature with the same label is replaced, and others are kept.
  package let label: String
  /// The name of the key; nil if the key has no name.
  public var identity: String? { key.keyID }

  private let key: any SigningKey
  private let lifetime: Duration?
  private let text: SignatureParametersText
  private let digest: DigestAlgorithm
  private let structuredFields: StructuredFieldTypes
  private let needsDigest: Bool
  private let needsLength: Bool

  /// Makes a signer for a key and components.
  /// - Parameters:
  ///   - key: The key. Its `keyID`, if it has one, is sent as `keyid`.
  ///   - components: The components to sign. A verifier can rely on these only.
  ///   - label: The name of the signature within its message.
  ///   - lifetime: The time after which the signature expires, in whole seconds; nil if it does not expire.
  ///     Default: 300 s.
  ///   - nonce: The nonce of each signature. Default: a random one.
  ///   - tag: The application that the signature is for.
  ///   - sendsAlgorithm: True to name the algorithm. A verifier knows it from its key.
  ///   - digest: The algorithm of the `Content-Digest` that is added.
  ///   - structuredFields: The types of fields that are covered as structured fields (`structured`, `member`), by
  ///     their names. Messages do not contain them, so the verifier has to know the same. Those that RFCs define
  ///     are known.
  /// - Throws: `.invalidComponent` or `.invalidParameter`.
  public init(
    _ key: any SigningKey, covering components: [MessageComponent] = [.method, .targetURI, .contentDigest],
    label: String = "sig1", lifetime: Duration? = .seconds(300), nonce: Nonce = .random, tag: String? = nil,
    sendsAlgorithm: Bool = false, digest: DigestAlgorithm = .sha256,
    structuredFields: [String: StructuredFieldType] = [:]
  ) throws(SigningError) {
    try MessageSignature.checkLabel(label)
    try SignatureParameters.check(components)
    for component in components where Self.changes(component, by: label) {
      throw SigningError(
        .invalidComponent,
        "the component \(component) changes when this signature is added; cover a member with another label")
    }
    (self.key, self.components, self.label, self.lifetime) = (key, components, label, lifetime)
    (self.digest, self.structuredFields) = (digest, StructuredFieldTypes(structuredFields))
    text = try SignatureParametersText(
      components, keyID: key.keyID, algorithm: sendsAlgorithm ? key.algorithm : nil, nonce: nonce, tag: tag)
    needsDigest = components.contains { $0.name == "content-digest" && !$0.options.isOfRequest }
    needsLength = components.contains { $0.name == "content-length" && !$0.options.isOfRequest }
  }

  /// Returns true if adding the signature changes the component.
  private static func changes(_ component: MessageComponent, by label: String) -> Bool {
    guard component.name == "signature" || component.name == "signature-input", !component.options.isOfRequest
    else {
      return false
    }
    return component.options.key == nil || component.options.key == label
  }

  /// Adds `Signature-Input` and `Signature`, and `Content-Digest` if it is covered and missing.
  /// - Throws: `SigningError`; `RequestError` if the body cannot be read; the error of the key.
  public func sign(_ request: inout OutgoingRequest) async throws {
    if needsDigest, !request.fields.contains(ContentDigest.fieldName) {
      var hasher = DigestHasher(digest)
      for try await chunk in request.body.chunks { hasher.update(chunk) }
      var field = ContentDigest()
      field[digest] = hasher.finalize()
      request.fields[ContentDigest.fieldName] = try field.serialized()
    }
    var message = SignableMessage(request.method, request.url, fields: request.fields)
    if needsLength, !message.fields.contains(Self.lengthName), let length = request.body.length, length > 0 {
      message.fields[Self.lengthName] = String(length)
    }
    let (input, signature) = try await signed(message, at: request.date)
    try MessageSignature.add(label, input: input, signature, to: &request.fields)
  }

  private static let lengthName = "Content-Length"

  /// Returns the signature of a message, such as a response, or a request that another client sends.
  /// - Parameters:
  ///   - message: The head of the message.
  ///   - date: The time of the signature.
  /// - Throws: `SigningError`; the error of the key.
  public func signature(of message: SignableMessage, at date: Date) async throws -> MessageSignature {
    let (input, signature) = try await signed(message, at: date)
    let list = try StructuredDictionary(parsing: "\(label)=\(String(decoding: input, as: UTF8.self))")[label]?
      .innerList
    return MessageSignature(
      label: label, parameters: try SignatureParameters(list ?? []), bytes: signature)
  }

  private func signed(_ message: SignableMessage, at date: Date) async throws -> (
    input: [UInt8], signature: Data
  ) {
    let created = try SignatureParameters.seconds(date)
    let expires = try lifetime.map { try SignatureParameters.seconds(date.addingTimeInterval($0.seconds)) }
    let input = text.value(created: created, expires: expires)
    var base = SignatureBase(message, structuredFields)
    for component in components { try base.append(component) }
    return (input, try await key.sign(base.finished(input)))
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension MessageSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "MessageSigner(\(label), \(key.algorithm))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["signer": description]) }
}
