/// The reason why a message cannot be signed, or why its signature is refused. `description` is a sentence to act on;
/// it shows neither keys nor signatures, and nothing of the message but names.
public struct SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// `Signature`, `Signature-Input` or `Accept-Signature` is not what RFC 9421 defines it to be.
    public static let malformed = Code(rawValue: "malformed")
    /// The message has no signature, or none with the label or the tag that was asked for.
    public static let noSignature = Code(rawValue: "noSignature")
    /// A component is not defined, or its parameters are not for it.
    public static let invalidComponent = Code(rawValue: "invalidComponent")
    /// A component is covered twice.
    public static let duplicateComponent = Code(rawValue: "duplicateComponent")
    /// The message does not have the component, or not in a form that can be signed.
    public static let componentUnavailable = Code(rawValue: "componentUnavailable")
    /// The signature does not cover a component that the verifier requires.
    public static let missingComponent = Code(rawValue: "missingComponent")
    /// The signature lacks a parameter that the verifier requires.
    public static let missingParameter = Code(rawValue: "missingParameter")
    /// The algorithm is not known, or not accepted.
    public static let unknownAlgorithm = Code(rawValue: "unknownAlgorithm")
    /// The algorithm that the signature names is not its key's.
    public static let algorithmMismatch = Code(rawValue: "algorithmMismatch")
    /// There is no key for the signature.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// The signature was created in the future.
    public static let notYetValid = Code(rawValue: "notYetValid")
    /// The signature has expired.
    public static let expired = Code(rawValue: "expired")
    /// The signature is older than the verifier accepts.
    public static let tooOld = Code(rawValue: "tooOld")
    /// The signature is not one of this message with this key.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// The nonce was used before.
    public static let replayed = Code(rawValue: "replayed")
    /// The store of nonces has no room for another.
    public static let nonceStoreFull = Code(rawValue: "nonceStoreFull")
    /// A label or a parameter has no form in a structured field.
    public static let notSerializable = Code(rawValue: "notSerializable")
  }

  /// The kind of the failure.
  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

extension SignatureError {
  init(field name: String, _ error: StructuredFieldError) {
    self.init(.malformed, "\(name) is not the structured field that RFC 9421 defines: \(error)")
  }

  init(making name: String, _ error: StructuredFieldError) {
    self.init(.notSerializable, "\(name) cannot be sent: \(error)")
  }
}

/// The limits of messages' signatures: without them, a message could make a verifier work for long.
enum SignatureLimits {
  static let signatures = 16
  static let components = 128
}
