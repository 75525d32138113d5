/// A signature algorithm, identified by its name in the registry for HTTP signatures (RFC 9421, section 6.2).
public struct SignatureAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The registered name, such as "ed25519".
  public let rawValue: String
  /// Makes an algorithm with this name.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Ed25519 (RFC 8032). A signature has 64 bytes.
  public static let ed25519 = SignatureAlgorithm(rawValue: "ed25519")
  /// ECDSA with P-256 and SHA-256. A signature is r and s, of 32 bytes each.
  public static let ecdsaP256SHA256 = SignatureAlgorithm(rawValue: "ecdsa-p256-sha256")
  /// ECDSA with P-384 and SHA-384. A signature is r and s, of 48 bytes each.
  public static let ecdsaP384SHA384 = SignatureAlgorithm(rawValue: "ecdsa-p384-sha384")
  /// RSASSA-PSS with SHA-512 and a salt of 64 bytes (RFC 8017). A signature is as long as the key's modulus.
  public static let rsaPSSSHA512 = SignatureAlgorithm(rawValue: "rsa-pss-sha512")
  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017). A signature is as long as the key's modulus.
  public static let rsaV15SHA256 = SignatureAlgorithm(rawValue: "rsa-v1_5-sha256")
  /// HMAC-SHA-256 (RFC 2104), with a key that both sides have. A signature has 32 bytes.
  public static let hmacSHA256 = SignatureAlgorithm(rawValue: "hmac-sha256")
}
