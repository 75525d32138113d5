extension SigningError {
  static func mismatch(_ algorithm: SignatureAlgorithm?, _ key: String, _ usable: [SignatureAlgorithm])
    -> SigningError
  {
    let others = usable.map(\.rawValue).joined(separator: " or ")
    return SigningError(
      .algorithmMismatch,
      "\(key) cannot be used with the algorithm \(algorithm?.rawValue ?? "")"
        + (others.isEmpty ? "; choose another key" : "; choose \(others), or another key"))
  }

  static let damaged = SigningError(
    .invalidKey, "the key is damaged: its contents do not match its kind; export it again")

  static let inconsistent = SigningError(
    .invalidKey,
    "the private part and the public part of the key do not belong together; export the key again")

  static let unsupportedKind = SigningError(
    .unsupportedKey,
    "the key is of an unsupported kind; make an Ed25519, EC P-256, EC P-384 or RSA key")

  static let passwordNeeded = SigningError(.passwordNeeded, "the private key is encrypted; pass its password")
  static let wrongPassword = SigningError(
    .wrongPassword,
    "the private key cannot be decrypted with this password; check the password, and that the file is whole")
}
