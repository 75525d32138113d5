/// The reason why a message cannot be signed, or why its signature is refused. Its `description` names a
/// remedy. It shows names in the message, but neither keys, signatures nor values.
public struct SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "expired".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// `Signature`, `Signature-Input` or `Accept-Signature` does not have the form that RFC 9421 defines.
    public static let malformed = Code(rawValue: "malformed")
    /// The message has no signature, or none with the requested label and tag.
    public static let noSignature = Code(rawValue: "noSignature")
    /// A component is not defined, or has parameters that do not fit it.
    public static let invalidComponent = Code(rawValue: "invalidComponent")
    /// A component is covered twice.
    public static let duplicateComponent = Code(rawValue: "duplicateComponent")
    /// The message lacks the component, or has it in a form that cannot be signed.
    public static let componentUnavailable = Code(rawValue: "componentUnavailable")
    /// The signature does not cover a component that the verifier requires.
    public static let missingComponent = Code(rawValue: "missingComponent")
    /// The signature lacks a parameter that the verifier requires.
    public static let missingParameter = Code(rawValue: "missingParameter")
    /// The algorithm is unknown, or not accepted.
    public static let unknownAlgorithm = Code(rawValue: "unknownAlgorithm")
    /// The signature names an algorithm other than its key's.
    public static let algorithmMismatch = Code(rawValue: "algorithmMismatch")
    /// The key of the signature is unknown, or another key is requested.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// The signature was created in the future.
    public static let notYetValid = Code(rawValue: "notYetValid")
    /// The signature has expired.
    public static let expired = Code(rawValue: "expired")
    /// The signature is older than the verifier accepts.
    public static let tooOld = Code(rawValue: "tooOld")
    /// The signature does not match the message and the key.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// The nonce was used before.
    public static let replayed = Code(rawValue: "replayed")
    /// The store of nonces is full.
    public static let nonceStoreFull = Code(rawValue: "nonceStoreFull")
    /// A label or a parameter cannot be written in a structured field.
    public static let notSerializable = Code(rawValue: "notSerializable")
  }

  /// The kind of failure.
  public let code: Code
  /// The cause, and how to correct it.
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

/// The limits of a message's signatures. Without them, a message could keep a verifier busy for long.
enum SignatureLimits {
  static let signatures = 16
  static let components = 128
}
