/// The reason why ErrandSigning cannot sign, verify, encrypt or decrypt. Its `description` names a remedy. It shows
/// names in the message, but no key, no signature, no digest, no content and no value.
public struct SigningError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "expired".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    // MARK: Keys

    /// The text or data is not a key, or is damaged, or contains several keys.
    public static let invalidKey = Code(rawValue: "invalidKey")
    /// The key is of another kind, of an unsafe size, or for another use.
    public static let unsupportedKey = Code(rawValue: "unsupportedKey")
    /// The key is public, but a private key is needed.
    public static let privateKeyNeeded = Code(rawValue: "privateKeyNeeded")
    /// The key is private, but a public key is needed.
    public static let publicKeyNeeded = Code(rawValue: "publicKeyNeeded")
    /// The key is encrypted, but no password was passed.
    public static let passwordNeeded = Code(rawValue: "passwordNeeded")
    /// The key is encrypted with another password.
    public static let wrongPassword = Code(rawValue: "wrongPassword")
    /// The key is empty.
    public static let emptyKey = Code(rawValue: "emptyKey")
    /// The key cannot be used with this algorithm, or a signature names an algorithm other than its key's.
    public static let algorithmMismatch = Code(rawValue: "algorithmMismatch")
    /// The system failed to sign.
    public static let signingFailed = Code(rawValue: "signingFailed")

    // MARK: Message signatures (RFC 9421)

    /// A field of signatures or digests does not have the form that its RFC defines.
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
    /// No key has the name in the signature or in the content's header, or another key is requested.
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

    // MARK: Digests (RFC 9530)

    /// The content is not the one that the digest was made of.
    public static let mismatch = Code(rawValue: "mismatch")
    /// The field has no digest of a known algorithm, so the content cannot be verified.
    public static let noKnownAlgorithm = Code(rawValue: "noKnownAlgorithm")
    /// The file is missing, is not a regular file, or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The file was written while it was read.
    public static let fileChanged = Code(rawValue: "fileChanged")

    // MARK: Encryption (RFC 8188)

    /// A key, a key's name, a record size or a padding cannot be used.
    public static let invalidParameter = Code(rawValue: "invalidParameter")
    /// The content's header has a record size that no record can have.
    public static let invalidHeader = Code(rawValue: "invalidHeader")
    /// The content's records are larger than the decoder accepts.
    public static let recordTooLarge = Code(rawValue: "recordTooLarge")
    /// A record is not the one that was encrypted with this key at this place: it was changed or moved, or
    /// the key is wrong.
    public static let damaged = Code(rawValue: "damaged")
    /// The content ends before its last record.
    public static let truncated = Code(rawValue: "truncated")
    /// Bytes follow the last record.
    public static let trailingData = Code(rawValue: "trailingData")
    /// A record was decrypted, but has no valid padding delimiter.
    public static let invalidPadding = Code(rawValue: "invalidPadding")
    /// The content has more records than may be encrypted with one key and salt.
    public static let tooManyRecords = Code(rawValue: "tooManyRecords")
    /// The encoder or decoder was used after its end, or the decoder before it had its key.
    public static let misused = Code(rawValue: "misused")

    // MARK: AWS Signature Version 4

    /// The credentials are missing, empty, or have a character that is not allowed.
    public static let invalidCredentials = Code(rawValue: "invalidCredentials")
    /// The region or the service is not a name.
    public static let invalidScope = Code(rawValue: "invalidScope")
    /// The URL or a header field cannot be signed.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The body is a stream, but the signer signs every body.
    public static let streamedBody = Code(rawValue: "streamedBody")
    /// The lifetime of a presigned URL is not between 1 s and 7 days.
    public static let invalidLifetime = Code(rawValue: "invalidLifetime")
    /// The date is before 1970 or after 9999.
    public static let invalidDate = Code(rawValue: "invalidDate")
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
