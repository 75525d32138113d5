#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON Web Key (RFC 7517, with RFC 7518 and RFC 8037), read and checked as far as that needs no cryptography.
struct JWK: Sendable {
  /// The length, in bytes, above which nothing is read.
  static let maximumLength = 64 << 10

  enum Material: Sendable {
    case pair(KeyDER, publicKey: KeyDER)
    case publicKey(KeyDER)
    case shared(SecretBytes)
  }

  let material: Material
  let keyID: String?
  /// The only algorithm that it may be used with; nil if it does not say.
  let algorithm: SignatureAlgorithm?
  private let operations: [String]?

  init(_ json: Data) throws(KeyError) {
    guard json.count <= Self.maximumLength,
      let members = try? JSONDecoder().decode(JWKMembers.self, from: json)
    else {
      throw KeyError(
        .invalidKey,
        "this is no JSON Web Key; pass one JSON object with a \"kty\" and the members that belong to it")
    }
    guard members.use == nil || members.use == "sig" else {
      throw KeyError(
        .unsupportedKey, "the JSON Web Key is not for signatures: its \"use\" is not \"sig\"; pass another")
    }
    (keyID, operations) = (members.kid, members.operations)
    algorithm = try members.alg.map { (name) throws(KeyError) in try Self.algorithm(named: name) }
    material = try members.material()
  }

  /// - Parameter operation: `sign` or `verify`.
  func check(_ operation: String) throws(KeyError) {
    guard operations?.contains(operation) ?? true else {
      throw KeyError(
        .unsupportedKey,
        "the JSON Web Key's \"key_ops\" do not have \"\(operation)\"; pass a key that may be used so")
    }
  }

  /// Returns the algorithm that has this name in a JSON Web Key (RFC 7518, section 3.1, and RFC 8037).
  private static func algorithm(named name: String) throws(KeyError) -> SignatureAlgorithm {
    switch name {
    case "EdDSA", "Ed25519": return .ed25519
    case "ES256": return .ecdsaP256SHA256
    case "ES384": return .ecdsaP384SHA384
    case "PS512": return .rsaPSSSHA512
    case "RS256": return .rsaV15SHA256
    case "HS256": return .hmacSHA256
    default:
      throw KeyError(
        .unsupportedKey,
        "the JSON Web Key is for an algorithm that is not used here; pass one whose \"alg\" is EdDSA, ES256, ES384, "
          + "PS512, RS256 or HS256, or that has none")
    }
  }
}
