import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A private key that is at hand: Ed25519, EC P-256, EC P-384 or RSA.
///
/// ```swift
/// let key = try PrivateKey(pem: String(contentsOf: file, encoding: .utf8), password: password, keyID: "2026-07")
/// let signature = try await key.signingKey(for: .ed25519).sign(data)
/// ```
///
/// No description shows it. Its memory is overwritten when it is not used any more. The text that it was read from is not
/// overwritten, and neither is what Foundation decodes of a JSON Web Key.
public struct PrivateKey: Sendable {
  /// The name by which a verifier finds its key; nil if it has none.
  public let keyID: String?
  /// The algorithms that it can be used with; the first is used if none is asked for.
  public let algorithms: [SignatureAlgorithm]
  /// The public part.
  public let publicKey: PublicKey
  private let key: NativeKey

  /// - Parameters:
  ///   - pem: A file that holds one private key: PKCS #8 (`PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), SEC 1
  ///     (`EC PRIVATE KEY`) or PKCS #1 (`RSA PRIVATE KEY`).
  ///   - password: Decrypts the key; it is not used for one that is not encrypted.
  /// - Throws: `KeyError`: `.passwordNeeded`, `.wrongPassword`, `.privateKeyNeeded` for a public key,
  ///   `.unsupportedKey` for one that cannot be used here, `.invalidKey` for anything else.
  public init(pem: String, password: String? = nil, keyID: String? = nil) throws(KeyError) {
    let secret = password.map { SecretBytes(Array($0.utf8)) }
    let key = try NativeKey(PEMFile(pem).privateKey(), password: secret)
    try self.init(key, publicKey: key.publicKey(), keyID: keyID, allowed: nil, from: Data(pem.utf8))
  }

  /// - Parameter data: A JSON Web Key (RFC 7517) that holds a private key. Its `kid` becomes `keyID`, and its `alg` the
  ///   only algorithm.
  /// - Throws: `KeyError`: `.privateKeyNeeded` for a public key, `.unsupportedKey` for one that cannot be used here,
  ///   `.algorithmMismatch` for an `alg` that is not for its `kty`, `.invalidKey` for anything else.
  public init(jwk data: Data) throws(KeyError) {
    let jwk = try JWK(data)
    try jwk.check("sign")
    switch jwk.material {
    case .pair(let der, let publicDER):
      try self.init(
        NativeKey(der), publicKey: NativeKey(publicDER), keyID: jwk.keyID, allowed: jwk.algorithm, from: data)
    case .publicKey:
      throw KeyError(
        .privateKeyNeeded,
        "this is a public key, and signing needs the private one; pass the JSON Web Key with \"d\"")
    case .shared: throw SharedKey.notAPair
    }
  }

  private init(
    _ key: NativeKey, publicKey: NativeKey, keyID: String?, allowed: SignatureAlgorithm?, from file: Data
  ) throws(KeyError) {
    let algorithms = try key.algorithms(allowed: allowed)
    // Two halves of different keys make signatures that nobody accepts.
    for algorithm in algorithms.prefix(1) {
      guard let signature = key.sign(Data(), algorithm), publicKey.isValid(signature, for: Data(), algorithm)
      else {
        throw KeyError.inconsistent
      }
    }
    (self.key, self.keyID, self.algorithms) = (key, keyID, algorithms)
    self.publicKey = PublicKey(
      publicKey, keyID: keyID, algorithms: algorithms, fingerprint: SHA256Digest(hashing: file).description)
  }

  /// Returns the key for signatures of one algorithm.
  /// - Parameter algorithm: Nil: the first of `algorithms`.
  /// - Throws: `KeyError.algorithmMismatch` if it is none of `algorithms`.
  public func signingKey(for algorithm: SignatureAlgorithm? = nil) throws(KeyError) -> some SigningKey {
    LocalSigningKey(algorithm: try key.kind.choose(algorithm, from: algorithms), keyID: keyID, key: key)
  }
}

/// Signs in this process.
private struct LocalSigningKey: SigningKey {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let key: NativeKey

  func sign(_ data: Data) throws(KeyError) -> Data {
    guard let signature = key.sign(data, algorithm) else {
      throw KeyError(
        .signingFailed, "the system failed to sign with \(algorithm); try again, or with another key")
    }
    return signature
  }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "PrivateKey(\(key.kind.name))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["kind": key.kind.name]) }
}

extension LocalSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "SigningKey(\(algorithm))" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm.rawValue]) }
}
