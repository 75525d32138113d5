import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The public key of a pair: Ed25519, EC P-256, EC P-384 or RSA.
public struct PublicKey: Sendable {
  /// The name of the key; nil if it has none.
  public let keyID: String?
  /// The algorithms that it can be used with; the first is used if none is asked for.
  public let algorithms: [SignatureAlgorithm]
  private let key: NativeKey
  /// Tells the key from others of the same name: a digest of what it was made of.
  private let fingerprint: String

  /// - Parameter pem: A file that holds one public key: SubjectPublicKeyInfo (`PUBLIC KEY`) or PKCS #1
  ///   (`RSA PUBLIC KEY`).
  /// - Throws: `KeyError`: `.publicKeyNeeded` for a private key, `.unsupportedKey` for one that cannot be used here,
  ///   `.invalidKey` for anything else.
  public init(pem: String, keyID: String? = nil) throws(KeyError) {
    try self.init(PEMFile(pem).publicKey(), keyID: keyID, allowed: nil)
  }

  /// - Parameter jwk: A JSON Web Key (RFC 7517) that holds a public key. Its `kid` becomes `keyID`, and its `alg` the
  ///   only algorithm.
  /// - Throws: `KeyError`: `.publicKeyNeeded` for a private key, `.unsupportedKey` for one that cannot be used here,
  ///   `.algorithmMismatch` for an `alg` that is not for its `kty`, `.invalidKey` for anything else.
  public init(jwk: Data) throws(KeyError) {
    let jwk = try JWK(jwk)
    switch jwk.material {
    case .publicKey(let der):
      try jwk.check("verify")
      try self.init(der, keyID: jwk.keyID, allowed: jwk.algorithm)
    case .pair:
      throw KeyError(
        .publicKeyNeeded,
        "this is a private key, and a verifier must not have it; pass the JSON Web Key without its private members, or "
          + "the publicKey of a PrivateKey")
    case .shared: throw SharedKey.notAPair
    }
  }

  private init(_ der: KeyDER, keyID: String?, allowed: SignatureAlgorithm?) throws(KeyError) {
    let key = try NativeKey(der)
    self.init(
      key, keyID: keyID, algorithms: try key.algorithms(allowed: allowed),
      fingerprint: SHA256Digest(hashing: der.bytes.withUnsafeBytes { Data($0) }).description)
  }

  init(_ key: NativeKey, keyID: String?, algorithms: [SignatureAlgorithm], fingerprint: String) {
    (self.key, self.keyID, self.algorithms, self.fingerprint) = (key, keyID, algorithms, fingerprint)
  }

  /// Returns the key for signatures of one algorithm.
  /// - Parameter algorithm: Nil: the first of `algorithms`.
  /// - Throws: `KeyError.algorithmMismatch` if it is none of `algorithms`.
  public func verificationKey(for algorithm: SignatureAlgorithm? = nil) throws(KeyError)
    -> some VerificationKey
  {
    LocalVerificationKey(
      algorithm: try key.kind.choose(algorithm, from: algorithms), keyID: keyID, key: key,
      fingerprint: fingerprint)
  }
}

/// Verifies in this process.
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
