/// The reason why a key cannot be read or used. Its `description` names a remedy, and shows nothing of the key.
public struct KeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "wrongPassword".
    public let rawValue: String
    /// Makes a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

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
    /// The key cannot be used with this algorithm.
    public static let algorithmMismatch = Code(rawValue: "algorithmMismatch")
    /// The system failed to sign.
    public static let signingFailed = Code(rawValue: "signingFailed")
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
    .invalidKey, "the key is damaged: its contents do not match its kind; export it again")

  static let inconsistent = KeyError(
    .invalidKey,
    "the private part and the public part of the key do not belong together; export the key again")

  static let unsupportedKind = KeyError(
    .unsupportedKey,
    "the key is of an unsupported kind; make an Ed25519, EC P-256, EC P-384 or RSA key")

  static let passwordNeeded = KeyError(.passwordNeeded, "the private key is encrypted; pass its password")
  static let wrongPassword = KeyError(
    .wrongPassword,
    "the private key cannot be decrypted with this password; check the password, and that the file is whole")
}
