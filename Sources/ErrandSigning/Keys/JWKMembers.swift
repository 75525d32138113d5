#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The members of a JSON Web Key. Other members are ignored (RFC 7517, section 4).
struct JWKMembers: Decodable {
  let kty: String
  let crv, x, y, d, n, e, p, q, dp, dq, qi, k: String?
  let oth: [[String: String]]?
  let alg, use, kid: String?
  let operations: [String]?

  private enum CodingKeys: String, CodingKey {
    case kty, crv, x, y, d, n, e, p, q, dp, dq, qi, k, oth, alg, use, kid
    case operations = "key_ops"
  }

  func material() throws(SigningError) -> JWK.Material {
    switch kty {
    case "OKP": return try edwards()
    case "EC": return try elliptic()
    case "RSA": return try rsa()
    case "oct":
      let key = try bytes(k, "k")
      guard !key.isEmpty else { throw SharedKey.empty }
      return .shared(SecretBytes(key))
    default:
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key is of an unsupported kind; pass one whose \"kty\" is OKP, EC, RSA or oct"
      )
    }
  }

  private func edwards() throws(SigningError) -> JWK.Material {
    guard crv == "Ed25519" else {
      throw SigningError(
        .unsupportedKey, "the JSON Web Key's curve is not supported; pass one whose \"crv\" is Ed25519")
    }
    let point = try bytes(x, "x", count: 32)
    // The version and the algorithm, id-Ed25519 (RFC 8410).
    let algorithm = DER.sequence(DER.element(.objectIdentifier, ObjectIdentifier.ed25519))
    var key = DER.sequence(algorithm, DER.element(.bitString, [0] + point))
    let publicKey = KeyDER(.spki, consuming: &key)
    guard d != nil else { return .publicKey(publicKey) }
    var seed = DER.element(.octetString, [UInt8](try bytes(d, "d", count: 32)))
    key = DER.sequence(DER.unsigned([0]), algorithm, DER.element(.octetString, seed))
    seed.withUnsafeMutableBytes { SecretBytes.clear($0) }
    return .pair(KeyDER(.pkcs8, consuming: &key), publicKey: publicKey)
  }

  private func elliptic() throws(SigningError) -> JWK.Material {
    let (curve, width): ([UInt8], Int)
    switch crv {
    case "P-256": (curve, width) = (ObjectIdentifier.p256, 32)
    case "P-384": (curve, width) = (ObjectIdentifier.p384, 48)
    default:
      throw SigningError(
        .unsupportedKey,
        "the JSON Web Key's curve is not supported; pass one whose \"crv\" is P-256 or P-384")
    }
    let point = try [0, 4] + bytes(x, "x", count: width) + bytes(y, "y", count: width)
    let name = DER.element(.objectIdentifier, curve)
    let algorithm = DER.sequence(DER.element(.objectIdentifier, ObjectIdentifier.ellipticKey), name)
    var key = DER.sequence(algorithm, DER.element(.bitString, point))
    let publicKey = KeyDER(.spki, consuming: &key)
    guard d != nil else { return .publicKey(publicKey) }
    var number = DER.element(.octetString, [UInt8](try bytes(d, "d", count: width)))
    key = DER.sequence(
      DER.unsigned([1]), number, DER.element(.context0, name),
      DER.element(.context1, DER.element(.bitString, point)))
    number.withUnsafeMutableBytes { SecretBytes.clear($0) }
    return .pair(KeyDER(.sec1, consuming: &key), publicKey: publicKey)
  }

  private func rsa() throws(SigningError) -> JWK.Material {
    let publicParts = try [integer(n, "n"), integer(e, "e")]
    var key = DER.element(.sequence, publicParts.flatMap { $0 })
    let publicKey = KeyDER(.publicPKCS1, consuming: &key)
    guard d != nil else { return .publicKey(publicKey) }
    guard oth == nil else {
      throw SigningError(.unsupportedKey, "the RSA key has more than two prime factors; make one with two")
    }
    guard p != nil, q != nil, dp != nil, dq != nil, qi != nil else {
      throw SigningError(
        .invalidKey,
        "the JSON Web Key has no \"p\", \"q\", \"dp\", \"dq\" or \"qi\"; export the RSA key with all of them")
    }
    let parts = try [(d, "d"), (p, "p"), (q, "q"), (dp, "dp"), (dq, "dq"), (qi, "qi")]
      .map { (part) throws(SigningError) in try integer(part.0, part.1) }
    key = DER.element(.sequence, ([DER.unsigned([0])] + publicParts + parts).flatMap { $0 })
    return .pair(KeyDER(.pkcs1, consuming: &key), publicKey: publicKey)
  }

  private func integer(_ text: String?, _ name: String) throws(SigningError) -> [UInt8] {
    let bytes = try bytes(text, name)
    // RFC 7518, section 2, forbids leading zeros.
    guard let first = bytes.first, first != 0 else { throw Self.wrong(name) }
    return DER.unsigned(bytes)
  }

  private func bytes(_ text: String?, _ name: String, count: Int? = nil) throws(SigningError) -> Data {
    guard let bytes = text.flatMap(Data.init(base64URL:)), count == nil || bytes.count == count else {
      throw Self.wrong(name)
    }
    return bytes
  }

  private static func wrong(_ name: String) -> SigningError {
    SigningError(
      .invalidKey,
      "the JSON Web Key's \"\(name)\" is missing, or is not base64url of the required length; export "
        + "the key again")
  }
}
