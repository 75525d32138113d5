/// The reason why ErrandSigning cannot sign, verify, encrypt or decrypt. Its `description` names a remedy. It shows
/// names in the message, but no key, no signature, no digest, no content and no value.
public struct SigningError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "expired".
    public let description: String

    private init(_ name: String) { description = name }

    // MARK: Keys

    /// The text or data is not a key, or is empty, is damaged, or contains several keys.
    public static let invalidKey = Code("invalidKey")
    /// The key is of another kind, such as a public key where a private one is needed, of an unsafe size, or for
    /// another use.
    public static let unsupportedKey = Code("unsupportedKey")
    /// The key is encrypted, but no password was passed.
    public static let passwordNeeded = Code("passwordNeeded")
    /// The key is encrypted with another password.
    public static let wrongPassword = Code("wrongPassword")
    /// The key cannot be used with this algorithm, or a signature names an algorithm other than its key's.
    public static let algorithmMismatch = Code("algorithmMismatch")
    /// An argument cannot be used: a key's name, a label, a date, a lifetime, a region, a record size or a padding.
    public static let invalidParameter = Code("invalidParameter")
    /// The system failed to sign.
    public static let signingFailed = Code("signingFailed")

    // MARK: Message signatures (RFC 9421)

    /// A field of signatures or digests, or an encrypted content, does not have the form that its RFC defines.
    public static let malformed = Code("malformed")
    /// The message has no signature, or none with the requested label and tag.
    public static let noSignature = Code("noSignature")
    /// A component is not defined, has parameters that do not fit it, or is covered twice.
    public static let invalidComponent = Code("invalidComponent")
    /// The message lacks the component, or has it in a form that cannot be signed.
    public static let componentUnavailable = Code("componentUnavailable")
    /// The signature does not cover a component that the verifier requires.
    public static let missingComponent = Code("missingComponent")
    /// The signature lacks a parameter that the verifier requires.
    public static let missingParameter = Code("missingParameter")
    /// The algorithm is unknown, or not accepted.
    public static let unknownAlgorithm = Code("unknownAlgorithm")
    /// No key has the name in the signature or in the content's header, or another key is requested.
    public static let unknownKey = Code("unknownKey")
    /// The signature was created in the future.
    public static let notYetValid = Code("notYetValid")
    /// The signature has expired, or is older than the verifier accepts.
    public static let expired = Code("expired")
    /// The signature does not match the message and the key.
    public static let invalidSignature = Code("invalidSignature")
    /// The nonce was used before.
    public static let replayed = Code("replayed")
    /// The store of nonces is full.
    public static let nonceStoreFull = Code("nonceStoreFull")

    // MARK: Digests (RFC 9530)

    /// The content is not the one that the digest was made of.
    public static let mismatch = Code("mismatch")

    // MARK: Encryption (RFC 8188)

    /// The content's records are larger than the decoder accepts.
    public static let recordTooLarge = Code("recordTooLarge")
    /// A record is not the one that was encrypted with this key at this place: it was changed or moved, or
    /// the key is wrong.
    public static let damaged = Code("damaged")
    /// The content ends before its last record.
    public static let truncated = Code("truncated")
    /// The content has more records than may be encrypted with one key and salt.
    public static let tooManyRecords = Code("tooManyRecords")
    /// The encoder or decoder was used after its end, or the decoder before it had its key.
    package static let misused = Code("misused")

    // MARK: AWS Signature Version 4

    /// The credentials are missing, empty, or have a character that is not allowed.
    public static let invalidCredentials = Code("invalidCredentials")
    /// The URL, a header field or the body cannot be signed.
    public static let invalidRequest = Code("invalidRequest")
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
