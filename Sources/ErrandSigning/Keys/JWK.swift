#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON Web Key (RFC 7517, with RFC 7518 and RFC 8037). It is read and checked, without cryptography.
struct JWK: Sendable {
  /// The longest key that is read, in bytes.
  static let maximumLength = 64 << 10

  enum Material: Sendable {
    case pair(KeyDER, publicKey: KeyDER)
    case publicKey(KeyDER)
    case shared(SecretBytes)
  }

  let material: Material
  let keyID: String?
  /// The only algorithm that the key may be used with; nil if the key does not restrict it.
  let algorithm: SignatureAlgorithm?
  private let operations: [String]?

  init(_ json: Data) throws(SigningError) {
    guard json.count <= Self.maximumLength,
      let members = try? JSONDecoder().decode(JWKMembers.self, from: json)
    else {
      throw SigningError(
        .invalidKey,
        "the data is not a JSON Web Key; pass one JSON object with a \"kty\" and the members that belong to it"
      )
    }
    guard members.use == nil || members.use == "sig" else {
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key is not for signatures: its \"use\" is not \"sig\"; pass another key")
    }
    (keyID, operations) = (members.kid, members.operations)
    algorithm = try members.alg.map { (name) throws(SigningError) in try Self.algorithm(named: name) }
    material = try members.material()
  }

  /// - Parameter operation: `sign` or `verify`.
  func check(_ operation: String) throws(SigningError) {
    guard operations?.contains(operation) ?? true else {
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key's \"key_ops\" lack \"\(operation)\"; pass a key that may be used for it")
    }
  }

  /// Returns the algorithm that has this name in a JSON Web Key (RFC 7518, section 3.1, and RFC 8037).
  private static func algorithm(named name: String) throws(SigningError) -> SignatureAlgorithm {
    switch name {
    case "EdDSA", "Ed25519": return .ed25519
    case "ES256": return .ecdsaP256SHA256
    case "ES384": return .ecdsaP384SHA384
    case "PS512": return .rsaPSSSHA512
    case "RS256": return .rsaV15SHA256
    case "HS256": return .hmacSHA256
    default:
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key is for an algorithm that is not supported; pass one whose \"alg\" is EdDSA, ES256, ES384, "
          + "PS512, RS256 or HS256, or a key without \"alg\"")
    }
  }
}
