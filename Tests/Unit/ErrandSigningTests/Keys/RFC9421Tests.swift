import Foundation
import Testing

@testable import ErrandSigning

/// The signatures of RFC 9421, appendix B.2, which are verified, and created again if they are deterministic.
@Suite struct RFC9421Tests {
  private static let digest =
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"

  private func isValid(_ signature: String, _ key: some VerificationKey, _ lines: String...) async throws
    -> Bool
  {
    let (base, signature) = (
      Data(lines.joined(separator: "\n").utf8), try #require(Data(base64Encoded: signature))
    )
    for bit in stride(from: 0, to: signature.count * 8, by: 41) {
      #expect(try await !key.isValid(signature.flipping(bit), for: base))
    }
    #expect(try await !key.isValid(signature, for: base + [10]))
    #expect(try await !key.isValid(signature.dropLast(), for: base))
    #expect(try await !key.isValid(signature + [0], for: base))
    #expect(try await !key.isValid(Data(), for: base))
    return try await key.isValid(signature, for: base)
  }

  @Test func `the minimal signature with rsa-pss-sha512 is valid`() async throws {
    let signature = """
      d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG\
      52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVro\
      gUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ\
      98Xw9Q==
      """
    let lines =
      "\"@signature-params\": ();created=1618884473;keyid=\"test-key-rsa-pss\";nonce=\"b3k2pp5k7z-50gnwp.yemd\""
    let key = try PublicKey(pem: RFCKeys.rsaPSSPublic).verificationKey(for: .rsaPSSSHA512)
    #expect(try await isValid(signature, key, lines))
    // The identifier of the private key, which is only for RSASSA-PSS.
    let own = try PrivateKey(pem: RFCKeys.rsaPSSPrivate)
    #expect(own.algorithms == [.rsaPSSSHA512])
    #expect(try await isValid(signature, own.publicKey.verificationKey(), lines))
  }

  @Test func `the signature of selected components with rsa-pss-sha512 is valid`() async throws {
    let key = try PublicKey(pem: RFCKeys.rsaPSSPublic).verificationKey(for: .rsaPSSSHA512)
    let signature = """
      LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT\
      8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBS\
      pqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTu\
      gEjHSw==
      """
    #expect(
      try await isValid(
        signature, key, "\"@authority\": example.com", "\"content-digest\": \(Self.digest)",
        "\"@query-param\";name=\"Pet\": dog",
        "\"@signature-params\": (\"@authority\" \"content-digest\" \"@query-param\";name=\"Pet\");created=1618884473"
          + ";keyid=\"test-key-rsa-pss\";tag=\"header-example\""))
  }

  @Test func `the signature with ecdsa-p256-sha256 is valid`() async throws {
    let key = try PublicKey(pem: RFCKeys.p256Public).verificationKey(for: .ecdsaP256SHA256)
    #expect(
      try await isValid(
        "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==", key,
        "\"@status\": 200", "\"content-type\": application/json",
        "\"content-digest\": "
          + "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
        "\"content-length\": 23",
        "\"@signature-params\": (\"@status\" \"content-type\" \"content-digest\" \"content-length\");created=1618884473"
          + ";keyid=\"test-key-ecc-p256\""))
  }

  @Test func `the signature with hmac-sha256 is reproduced`() async throws {
    let key = try SharedKey(RFCKeys.shared)
    let base = """
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@authority": example.com
      "content-type": application/json
      "@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"
      """
    let signature = try key.sign(Data(base.utf8))
    #expect(signature.base64EncodedString() == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
    #expect(try await isValid(signature.base64EncodedString(), key, base))
  }

  @Test func `the signature with ed25519 is reproduced, with the key from a file and from a JSON Web Key`()
    async throws
  {
    let base = """
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@method": POST
      "@path": /foo
      "@authority": example.com
      "content-type": application/json
      "content-length": 18
      "@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length")\
      ;created=1618884473;keyid="test-key-ed25519"
      """
    let expected = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    for key in try [
      PrivateKey(pem: RFCKeys.ed25519Private), PrivateKey(jwk: Data(RFCKeys.ed25519JWK.utf8)),
    ] {
      let signature = try await key.signingKey(for: .ed25519).sign(Data(base.utf8))
      // CryptoKit creates a different signature each time.
      #if !canImport(CryptoKit)
        #expect(signature.base64EncodedString() == expected)
      #endif
      #expect(try await isValid(signature.base64EncodedString(), key.publicKey.verificationKey(), base))
      #expect(try await isValid(expected, key.publicKey.verificationKey(), base))
    }
    #expect(try await isValid(expected, PublicKey(pem: RFCKeys.ed25519Public).verificationKey(), base))
  }

  @Test(
    arguments: [
      (RFCKeys.rsaPrivate, RFCKeys.rsaPublic, [.rsaPSSSHA512, .rsaV15SHA256], 256),
      (RFCKeys.rsaPSSPrivate, RFCKeys.rsaPSSPublic, [.rsaPSSSHA512], 256),
      (RFCKeys.p256Private, RFCKeys.p256Public, [.ecdsaP256SHA256], 64),
      (RFCKeys.ed25519Private, RFCKeys.ed25519Public, [.ed25519], 64),
    ] as [(String, String, [SignatureAlgorithm], Int)])
  func `a public key of appendix B.1 verifies the signatures of its private key`(
    privatePEM: String, publicPEM: String, algorithms: [SignatureAlgorithm], length: Int
  ) async throws {
    let (key, publicKey) = (try PrivateKey(pem: privatePEM, keyID: "k"), try PublicKey(pem: publicPEM))
    #expect(key.algorithms == algorithms)
    for algorithm in algorithms {
      let (signer, verifier) = (
        try key.signingKey(for: algorithm), try publicKey.verificationKey(for: algorithm)
      )
      #expect(signer.keyID == "k")
      #expect((signer.algorithm, verifier.algorithm) == (algorithm, algorithm))
      for count in [0, 1, 1000] {
        var random = Seeded(UInt64(count))
        let data = random.data(count)
        let signature = try await signer.sign(data)
        #expect(signature.count == length)
        #expect(try await verifier.isValid(signature, for: data))
        #expect(try await !verifier.isValid(signature, for: data + [0]))
      }
    }
  }
}
