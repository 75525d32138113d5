import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

/// Public keys for which anyone can make a valid signature.
@Suite struct WeakKeyTests {
  /// The points whose order divides 8, in all their encodings: computed by multiplying points of the curve by
  /// the order of its large subgroup. Each is valid with either sign of x.
  private static let points: [[UInt8]] = [
    [0] + Array(repeating: 0, count: 31), [1] + Array(repeating: 0, count: 31),
    [0xEC] + Array(repeating: 0xFF, count: 30) + [0x7F],
    [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F],
    [0xEE] + Array(repeating: 0xFF, count: 30) + [0x7F],
    bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
  ]

  private static func bytes(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.utf8.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }

  private func refusal(_ read: () throws -> Any) -> SigningError? {
    do {
      _ = try read()
      return nil
    } catch {
      return error as? SigningError
    }
  }

  private func pem(_ label: String, _ der: [UInt8]) -> String {
    "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
  }

  private func edwardsPEM(_ point: [UInt8]) -> String {
    let algorithm = DER.sequence(DER.element(.objectIdentifier, ObjectIdentifier.ed25519))
    return pem("PUBLIC KEY", DER.sequence(algorithm, DER.element(.bitString, [0] + point)))
  }

  private func edwardsJWK(_ point: [UInt8]) -> Data {
    let x = Data(point).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return Data(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#.utf8)
  }

  @Test(arguments: points, [UInt8(0), 0x80])
  func `an Ed25519 key of small order is refused, in a file and in a JSON Web Key`(
    point: [UInt8], sign: UInt8
  ) {
    var point = point
    point[31] |= sign
    for error in [
      refusal { try PublicKey(pem: edwardsPEM(point)) }, refusal { try PublicKey(jwk: edwardsJWK(point)) },
    ] {
      #expect(error?.code == .invalidKey)
      #expect(error?.message.contains("small order") == true)
    }
  }

  @Test func `an Ed25519 key that differs from one of small order in one bit is accepted`() throws {
    var point = Self.points[1]
    point[16] = 1
    _ = try PublicKey(pem: edwardsPEM(point))
    _ = try PublicKey(jwk: edwardsJWK(point))
  }

  /// The numbers of the RSA key of RFC 9421: n, e, d, p, q, dP, dQ, qInv.
  private func numbers() throws -> [[UInt8]] {
    let base64 = RFCKeys.rsaPrivate.split(separator: "\n").dropFirst().dropLast().joined()
    var outer = DERReader(try #require(Data(base64Encoded: base64)))
    let sequence = outer.readSequence()
    var inner = try #require(sequence)
    let version = inner.readInt()
    let numbers = (0..<8).compactMap { _ in inner.readUnsigned().map { Array($0) } }
    try #require(version == 0 && numbers.count == 8)
    return numbers
  }

  private func publicPEM(_ modulus: [UInt8], _ exponent: [UInt8]) -> String {
    pem("RSA PUBLIC KEY", DER.sequence(DER.unsigned(modulus), DER.unsigned(exponent)))
  }

  @Test(arguments: [[], [1], [2], [4], [1, 0, 0], [1, 0, 2]] as [[UInt8]])
  func `an RSA key whose exponent is below 3 or even is refused`(exponent: [UInt8]) throws {
    let modulus = try numbers()[0]
    let error = refusal { try PublicKey(pem: publicPEM(modulus, exponent)) }
    #expect(error?.code == .invalidKey)
    if !exponent.isEmpty { #expect(error?.message.contains("exponent") == true) }
  }

  @Test(arguments: [[3], [1, 1], [1, 0, 1]] as [[UInt8]])
  func `an RSA key with another odd exponent is accepted`(exponent: [UInt8]) throws {
    let modulus = try numbers()[0]
    _ = try PublicKey(pem: publicPEM(modulus, exponent))
  }

  /// With 1, a signature is the padded hash itself, so that the two halves match.
  @Test func `a private RSA key with the exponent 1 is refused`() throws {
    var numbers = try numbers()
    for index in [1, 2, 5, 6] { numbers[index] = [1] }
    let der = DER.element(.sequence, DER.unsigned([0]) + numbers.flatMap { DER.unsigned($0) })
    let error = refusal { try PrivateKey(pem: pem("RSA PRIVATE KEY", der)) }
    #expect(error?.message.contains("exponent") == true)
  }

  @Test func `an RSA key with an even modulus is refused`() throws {
    var modulus = try numbers()[0]
    modulus[modulus.count - 1] &= 0xFE
    #expect(refusal { try PublicKey(pem: publicPEM(modulus, [1, 0, 1])) }?.code == .invalidKey)
  }

  @Test func `a JSON Web Key with the exponent 1 is refused`() throws {
    var members = try #require(
      JSONSerialization.jsonObject(with: Data(RFCKeys.rsaJWK.utf8)) as? [String: String])
    for name in ["d", "p", "q", "dp", "dq", "qi"] { members[name] = nil }
    members["e"] = "AQ"
    let jwk = try JSONSerialization.data(withJSONObject: members)
    #expect(refusal { try PublicKey(jwk: jwk) }?.message.contains("exponent") == true)
  }
}
