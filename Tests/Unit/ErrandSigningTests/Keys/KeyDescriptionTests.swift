import Foundation
import Testing

@testable import ErrandSigning

@Suite struct KeyDescriptionTests {
  @Test func `no description shows a private key`() throws {
    let jwk = try #require(
      JSONSerialization.jsonObject(with: Data(RFCKeys.ed25519JWK.utf8)) as? [String: String])
    let secret = Data(fromBase64URL: try #require(jwk["d"]))
    let key = try PrivateKey(jwk: Data(RFCKeys.ed25519JWK.utf8))
    let rsa = try PrivateKey(pem: RFCKeys.rsaPrivate)
    let shared = try SharedKey(secret)
    let parsed = try JWK(Data(RFCKeys.ed25519JWK.utf8))
    let values: [Any] = [
      key, rsa, key.publicKey, shared, try key.signingKey(), try key.publicKey.verificationKey(), parsed,
      try PEMFile(RFCKeys.ed25519Private), try SharedKey(jwk: Data(RFCKeys.hs256JWK.utf8)),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      let all =
        "\(value) \(String(reflecting: value)) \(Array(Mirror(reflecting: value).children)) \(dumped) \([value])"
      let hex = secret.map { String($0, radix: 16) }.joined()
      for shown in [
        secret.base64URL, secret.base64EncodedString(), hex, "\(secret[0]), \(secret[1])", "MC4CAQ", "AyM1",
      ] {
        #expect(!all.contains(shown), "\(all)")
        #expect(!all.contains(shown.prefix(12)), "\(all)")
      }
    }
    #expect("\(key)" == "PrivateKey(Ed25519)")
    #expect("\(key.publicKey)" == "PublicKey(Ed25519)")
    #expect("\(shared)" == "SharedKey(***)")
  }

  @Test func `secrets are compared completely, and only with secrets of the same type`() {
    #expect(ConstantTime.isEqual(Data([1, 2]), SecretBytes([1, 2])))
    #expect(!ConstantTime.isEqual(Data([1, 2]), SecretBytes([1, 3])))
    #expect(!ConstantTime.isEqual(Data([1, 2]), SecretBytes([1, 2, 3])))
    #expect(!ConstantTime.isEqual(Data(), SecretBytes([1])))
    #expect(ConstantTime.isEqual(Data(), SecretBytes(Data())))
  }

  @Test func `cleared memory is zero`() {
    var bytes: [UInt8] = Array(1...100)
    bytes.withUnsafeMutableBytes { SecretBytes.clear($0) }
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  /// A key in hardware: it signs asynchronously, outside of this process.
  private actor Hardware: SigningKey {
    let algorithm = SignatureAlgorithm.hmacSHA256

    func sign(_ data: Data) async throws -> Data {
      await Task.yield()
      return data + [1]
    }
  }

  @Test func `a key in hardware signs through the same protocol`() async throws {
    let key: any SigningKey = Hardware()
    #expect(try await key.sign(Data([0])) == Data([0, 1]))
    #expect(key.keyID == nil)
  }

  @Test(arguments: [RFCKeys.ed25519Private, RFCKeys.p256Private, RFCKeys.rsaPrivate])
  func `one key signs and verifies in many concurrent tasks`(pem: String) async throws {
    let key = try PrivateKey(pem: pem)
    let (signer, verifier) = (try key.signingKey(), try key.publicKey.verificationKey())
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask {
          let data = Data(repeating: UInt8(number), count: 1000)
          return try await verifier.isValid(signer.sign(data), for: data)
        }
      }
      for try await isValid in group { #expect(isValid) }
    }
  }
}
