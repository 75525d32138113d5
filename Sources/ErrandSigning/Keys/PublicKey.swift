import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The public key of a pair: Ed25519, EC P-256, EC P-384 or RSA.
public struct PublicKey: Sendable {
  /// The name of the key; nil if it has no name.
  public let keyID: String?
  /// The algorithms that the key can be used with. The first is the default.
  package let algorithms: [SignatureAlgorithm]
  private let key: NativeKey
  /// A digest of the key's source, which distinguishes keys of the same name.
  private let fingerprint: String

  /// Reads a public key from a PEM file.
  /// - Parameters:
  ///   - pem: The contents of a file with one public key: SubjectPublicKeyInfo (`PUBLIC KEY`) or PKCS #1
  ///     (`RSA PUBLIC KEY`).
  ///   - keyID: The name of the key.
  /// - Throws: `SigningError`: `.unsupportedKey` for a private key, or a key that cannot be
  ///   used, `.invalidKey` for anything else.
  public init(pem: String, keyID: String? = nil) throws(SigningError) {
    try self.init(PEMFile(pem).publicKey(), keyID: keyID, allowed: nil)
  }

  /// Reads a public key from a JSON Web Key.
  /// - Parameter jwk: A JSON Web Key (RFC 7517) with a public key. Its `kid` becomes `keyID`, and its `alg`
  ///   the only algorithm.
  /// - Throws: `SigningError`: `.unsupportedKey` for a private key, or a key that cannot be
  ///   used, `.algorithmMismatch` if the `alg` does not fit the `kty`, `.invalidKey` for anything else.
  public init(jwk: Data) throws(SigningError) {
    let jwk = try JWK(jwk)
    switch jwk.material {
    case .publicKey(let der):
      try jwk.check("verify")
      try self.init(der, keyID: jwk.keyID, allowed: jwk.algorithm)
    case .pair:
      throw SigningError(
        .unsupportedKey,
        "this is a private key, but a verifier must not have it; pass the JSON Web Key without its private members, or "
          + "the publicKey of a PrivateKey")
    case .shared: throw SharedKey.notAPair
    }
  }

  private init(_ der: KeyDER, keyID: String?, allowed: SignatureAlgorithm?) throws(SigningError) {
    let key = try NativeKey(der)
    self.init(
      key, keyID: keyID, algorithms: try key.algorithms(allowed: allowed),
      fingerprint: SHA256Digest(hashing: der.bytes.withUnsafeBytes { Data($0) }).description)
  }

  init(_ key: NativeKey, keyID: String?, algorithms: [SignatureAlgorithm], fingerprint: String) {
    (self.key, self.keyID, self.algorithms, self.fingerprint) = (key, keyID, algorithms, fingerprint)
  }

  /// Returns the key for signatures of one algorithm.
  /// - Parameter algorithm: The algorithm; nil for the first of `algorithms`.
  /// - Throws: `SigningError.algorithmMismatch` if the algorithm is not among `algorithms`.
  public func verificationKey(for algorithm: SignatureAlgorithm? = nil) throws(SigningError)
    -> some VerificationKey
  {
    LocalVerificationKey(
      algorithm: try key.kind.choose(algorithm, from: algorithms), keyID: keyID, key: key,
      fingerprint: fingerprint)
  }
}

/// A key that verifies in this process.
private struct LocalVerificationKey: VerificationKey, FingerprintedKey {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let key: NativeKey
  let fingerprint: String?

  func isValid(_ signature: Data, for data: Data) -> Bool { key.isValid(signature, for: data, algorithm) }
}

extension PublicKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "PublicKey(\(key.kind.name))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["kind": key.kind.name]) }
}
