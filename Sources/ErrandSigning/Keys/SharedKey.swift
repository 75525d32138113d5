import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key that the signer and the verifier share, for HMAC-SHA-256. Any length is accepted. Fewer than 32
/// unpredictable bytes are weaker than the algorithm (RFC 2104, section 3).
///
/// Its descriptions do not show the key, and its memory is overwritten after its last use.
public struct SharedKey: SigningKey, VerificationKey, FingerprintedKey {
  /// The name by which a verifier finds the key; nil if it has no name.
  public let keyID: String?
  /// HMAC-SHA-256.
  public var algorithm: SignatureAlgorithm { .hmacSHA256 }
  private let secret: HMACKey
  private let jwk: JWK?

  /// Makes a key from bytes.
  /// - Throws: `SigningError.invalidKey` if `data` is empty.
  public init(_ data: Data, keyID: String? = nil) throws(SigningError) {
    guard !data.isEmpty else { throw Self.empty }
    (secret, self.keyID, jwk) = (HMACKey(SecretBytes(data)), keyID, nil)
  }

  /// Reads a key from a JSON Web Key.
  /// - Parameter jwk: A JSON Web Key (RFC 7517) whose `kty` is `oct`. Its `kid` becomes `keyID`.
  /// - Throws: `SigningError`: `.invalidKey` if the key is empty, `.unsupportedKey` for a pair of keys,
  ///   `.algorithmMismatch` for an `alg` other than `HS256`, `.invalidKey` for anything else.
  public init(jwk: Data) throws(SigningError) {
    let jwk = try JWK(jwk)
    guard case .shared(let secret) = jwk.material else {
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key belongs to a pair; read it with PrivateKey or PublicKey, or pass one whose "
          + "\"kty\" is oct")
    }
    guard jwk.algorithm ?? .hmacSHA256 == .hmacSHA256 else {
      throw SigningError.mismatch(jwk.algorithm, "a shared key", [.hmacSHA256])
    }
    (self.secret, keyID, self.jwk) = (HMACKey(secret), jwk.keyID, jwk)
  }

  /// Returns the HMAC of the data, of 32 bytes.
  /// - Throws: `SigningError.unsupportedKey` if the JSON Web Key's `key_ops` do not allow signing.
  public func sign(_ data: Data) throws(SigningError) -> Data {
    try jwk?.check("sign")
    return secret.code(of: data).withUnsafeBytes { Data($0) }
  }

  /// Returns true if the signature is the HMAC of the data. It compares them in constant time.
  /// - Throws: `SigningError.unsupportedKey` if the JSON Web Key's `key_ops` do not allow verifying.
  public func isValid(_ signature: Data, for data: Data) throws(SigningError) -> Bool {
    try jwk?.check("verify")
    return ConstantTime.isEqual(signature, secret.code(of: data))
  }

  var fingerprint: String? {
    let code = secret.code(of: Data("errand shared key".utf8))
    return SHA256Digest(hashing: code.withUnsafeBytes { Data($0) }).description
  }

  static let empty = SigningError(
    .invalidKey, "the shared key is empty, so that anyone could sign; pass at least 32 unpredictable bytes")
  static let notAPair = SigningError(
    .unsupportedKey, "this is a shared key; read it with SharedKey, or pass a JSON Web Key of a pair")
}

extension SharedKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SharedKey(***)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["key": "***"]) }
}
