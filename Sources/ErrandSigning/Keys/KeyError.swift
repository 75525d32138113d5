/// The reason why a key cannot be read or used. `description` is a sentence to act on; it shows nothing of the key.
public struct KeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// This is no key, or a damaged one, or more than one.
    public static let invalidKey = Code(rawValue: "invalidKey")
    /// This is a key of another kind, or of a size that is not safe, or for another use.
    public static let unsupportedKey = Code(rawValue: "unsupportedKey")
    /// This is a public key, and a private one is needed.
    public static let privateKeyNeeded = Code(rawValue: "privateKeyNeeded")
    /// This is a private key, and a public one is needed.
    public static let publicKeyNeeded = Code(rawValue: "publicKeyNeeded")
    /// The key is encrypted, and there is no password.
    public static let passwordNeeded = Code(rawValue: "passwordNeeded")
    /// The key is encrypted with another password.
    public static let wrongPassword = Code(rawValue: "wrongPassword")
    /// The key is empty.
    public static let emptyKey = Code(rawValue: "emptyKey")
    /// The key cannot be used with this algorithm.
    public static let algorithmMismatch = Code(rawValue: "algorithmMismatch")
    /// The system failed to sign.
    public static let signingFailed = Code(rawValue: "signingFailed")
  }

  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

extension KeyError {
  static func mismatch(_ algorithm: SignatureAlgorithm?, _ key: String, _ usable: [SignatureAlgorithm])
    -> KeyError
  {
    let others = usable.map(\.rawValue).joined(separator: " or ")
    return KeyError(
      .algorithmMismatch,
      "\(key) cannot be used with the algorithm \(algorithm?.rawValue ?? "")"
        + (others.isEmpty ? "; choose another key" : "; choose \(others), or another key"))
  }

  static let damaged = KeyError(
    .invalidKey, "the key is damaged: what is in it is not what its kind of key consists of; export it again")

  static let inconsistent = KeyError(
    .invalidKey, "the private and the public part do not belong together; export the key again")

  static let unsupportedKind = KeyError(
    .unsupportedKey,
    "the key is of a kind that does not sign here; make an Ed25519, EC P-256, EC P-384 or RSA key")

  static let passwordNeeded = KeyError(.passwordNeeded, "the private key is encrypted; pass its password")
  static let wrongPassword = KeyError(
    .wrongPassword,
    "the private key cannot be decrypted with this password; check the password, and that the file is whole")
}
