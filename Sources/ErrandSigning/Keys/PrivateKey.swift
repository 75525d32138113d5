import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A private key in this process: Ed25519, EC P-256, EC P-384 or RSA.
///
/// ```swift
/// let key = try PrivateKey(pem: String(contentsOf: file, encoding: .utf8), password: password, keyID: "2026-07")
/// let signature = try await key.signingKey(for: .ed25519).sign(data)
/// ```
///
/// Its descriptions do not show the key. Its memory is overwritten after its last use. The text that it was
/// read from is not overwritten, and neither are the copies that Foundation makes when it decodes a JSON Web
/// Key.
public struct PrivateKey: Sendable {
  /// The name by which a verifier finds its key; nil if the key has no name.
  public let keyID: String?
  /// The algorithms that the key can be used with. The first is the default.
  package let algorithms: [SignatureAlgorithm]
  /// The public part of the key, with the same name and algorithms.
  public let publicKey: PublicKey
  private let key: NativeKey

  /// Reads a private key from a PEM file.
  /// - Parameters:
  ///   - pem: The contents of a file with one private key: PKCS #8 (`PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`),
  ///     SEC 1 (`EC PRIVATE KEY`) or PKCS #1 (`RSA PRIVATE KEY`).
  ///   - password: Decrypts the key. It is ignored if the key is not encrypted.
  ///   - keyID: The name by which a verifier finds its key.
  /// - Throws: `SigningError`: `.passwordNeeded`, `.wrongPassword`, `.unsupportedKey` for a public key,
  ///   `.unsupportedKey` for a key that cannot be used, `.invalidKey` for anything else.
  public init(pem: String, password: String? = nil, keyID: String? = nil) throws(SigningError) {
    let secret = password.map { SecretBytes(Array($0.utf8)) }
    let key = try NativeKey(PEMFile(pem).privateKey(), password: secret)
    try self.init(key, publicKey: key.publicKey(), keyID: keyID, allowed: nil, from: Data(pem.utf8))
  }

  /// Reads a private key from a JSON Web Key.
  /// - Parameter data: A JSON Web Key (RFC 7517) with a private key. Its `kid` becomes `keyID`, and its `alg`
  ///   the only algorithm.
  /// - Throws: `SigningError`: `.unsupportedKey` for a public key, or a key that cannot be
  ///   used, `.algorithmMismatch` if the `alg` does not fit the `kty`, `.invalidKey` for anything else.
  public init(jwk data: Data) throws(SigningError) {
    let jwk = try JWK(data)
    try jwk.check("sign")
    switch jwk.material {
    case .pair(let der, let publicDER):
      try self.init(
        NativeKey(der), publicKey: NativeKey(publicDER), keyID: jwk.keyID, allowed: jwk.algorithm, from: data)
    case .publicKey:
      throw SigningError(
        .unsupportedKey,
        "this is a public key, but signing needs the private key; pass the JSON Web Key with \"d\"")
    case .shared: throw SharedKey.notAPair
    }
  }

  private init(
    _ key: NativeKey, publicKey: NativeKey, keyID: String?, allowed: SignatureAlgorithm?, from file: Data
  ) throws(SigningError) {
    let algorithms = try key.algorithms(allowed: allowed)
    // A private part and the public part of another key would make signatures that no verifier accepts.
    for algorithm in algorithms.prefix(1) {
      guard let signature = key.sign(Data(), algorithm), publicKey.isValid(signature, for: Data(), algorithm)
      else {
        throw SigningError.inconsistent
      }
    }
    (self.key, self.keyID, self.algorithms) = (key, keyID, algorithms)
    self.publicKey = PublicKey(
      publicKey, keyID: keyID, algorithms: algorithms, fingerprint: SHA256Digest(hashing: file).description)
  }

  /// Returns the key for signatures of one algorithm.
  /// - Parameter algorithm: The algorithm; nil for the first of `algorithms`.
  /// - Throws: `SigningError.algorithmMismatch` if the algorithm is not among `algorithms`.
  public func signingKey(for algorithm: SignatureAlgorithm? = nil) throws(SigningError) -> some SigningKey {
    LocalSigningKey(algorithm: try key.kind.choose(algorithm, from: algorithms), keyID: keyID, key: key)
  }
}

/// A key that signs in this process.
private struct LocalSigningKey: SigningKey {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let key: NativeKey

  func sign(_ data: Data) throws(SigningError) -> Data {
    guard let signature = key.sign(data, algorithm) else {
      throw SigningError(
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
