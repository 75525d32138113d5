import Foundation
import Testing

@testable import ErrandSigning

@Suite struct SignatureVectorTests {
  struct EdwardsVector: Sendable {
    let secret, publicKey, message, signature: String
  }

  /// RFC 8032, section 7.1: tests 1 to 3 and SHA(abc).
  static let edwards = [
    EdwardsVector(
      secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
      signature:
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        + "d25bf5f0595bbe24655141438e7a100b"),
    EdwardsVector(
      secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00"),
    EdwardsVector(
      secret: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
      signature:
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a"),
    EdwardsVector(
      secret: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
      publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
      message:
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        + "454d4423643ce80e2a9ac94fa54ca49f",
      signature:
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
        + "3dca179c138ac17ad9bef1177331a704"),
  ]

  @Test(arguments: edwards)
  func `Ed25519 reproduces the tests of RFC 8032`(vector: EdwardsVector) async throws {
    let (secret, point) = (Data(hex: vector.secret), Data(hex: vector.publicKey))
    let jwk = #"{"kty":"OKP","crv":"Ed25519","d":"\#(secret.base64URL)","x":"\#(point.base64URL)"}"#
    let key = try PrivateKey(jwk: Data(jwk.utf8))
    let message = Data(hex: vector.message)
    let signature = try await key.signingKey().sign(message)
    // CryptoKit creates a different signature each time.
    #if !canImport(CryptoKit)
      #expect(signature == Data(hex: vector.signature))
    #endif
    let other = #"{"kty":"OKP","crv":"Ed25519","x":"\#(point.base64URL)"}"#
    let verifier = try PublicKey(jwk: Data(other.utf8)).verificationKey()
    #expect(try await verifier.isValid(Data(hex: vector.signature), for: message))
    #expect(try await verifier.isValid(signature, for: message))
  }

  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test func `hmac-sha256 reproduces the signature of RFC 7515, appendix A.1`() throws {
    let key = try SharedKey(jwk: Data(RFCKeys.hs256JWK.utf8))
    let input = Data("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload)".utf8)
    let signature = try key.sign(input)
    #expect(signature == Data(fromBase64URL: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(try key.isValid(signature, for: input))
    for bit in 0..<256 { #expect(try !key.isValid(signature.flipping(bit), for: input)) }
    #expect(try !key.isValid(signature.prefix(31), for: input))
    #expect(try !key.isValid(signature + [0], for: input))
    #expect(try !key.isValid(Data(), for: input))
  }

  @Test func `rsa-v1_5-sha256 reproduces the signature of RFC 7515, appendix A.2`() async throws {
    let key = try PrivateKey(jwk: Data(RFCKeys.rs256JWK.utf8))
    let input = Data("eyJhbGciOiJSUzI1NiJ9.\(Self.payload)".utf8)
    let expected = Data(
      fromBase64URL: """
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU\
        Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d\
        O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig\
        cN_IoypGlUPQGe77Rw
        """)
    #expect(try await key.signingKey(for: .rsaV15SHA256).sign(input) == expected)
    #expect(try await key.publicKey.verificationKey(for: .rsaV15SHA256).isValid(expected, for: input))
    #expect(try await !key.publicKey.verificationKey(for: .rsaPSSSHA512).isValid(expected, for: input))
  }

  @Test func `ecdsa-p256-sha256 accepts the signature of RFC 7515, appendix A.3`() async throws {
    let key = try PrivateKey(jwk: Data(RFCKeys.es256JWK.utf8))
    let input = Data("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)".utf8)
    let signature = Data(
      fromBase64URL: "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    #expect(try await key.publicKey.verificationKey().isValid(signature, for: input))
  }

  /// RFC 6979, appendix A.2.6, with SHA-384 and the messages "sample" and "test".
  @Test(arguments: [
    (
      "sample",
      "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
      "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"
    ),
    (
      "test",
      "8203B63D3C853E8D77227FB377BCF7B7B772E97892A80F36AB775D509D7A5FEB0542A7F0812998DA8F1DD3CA3CF023DB",
      "DDD0760448D42D8A43AF45AF836FCE4DE8BE06B485E9B61B827C2F13173923E06A739F040649A667BF3B828246BAA5A5"
    ),
  ])
  func `ecdsa-p384-sha384 accepts the signatures of RFC 6979`(message: String, r: String, s: String)
    async throws
  {
    let x = "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
    let y = "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720"
    let d = "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5"
    let jwk = """
      {"kty":"EC","crv":"P-384","x":"\(Data(hex: x).base64URL)","y":"\(Data(hex: y).base64URL)",
      "d":"\(Data(hex: d).base64URL)"}
      """
    let key = try PrivateKey(jwk: Data(jwk.utf8))
    #expect(key.algorithms == [.ecdsaP384SHA384])
    let verifier = try key.publicKey.verificationKey()
    #expect(try await verifier.isValid(Data(hex: r + s), for: Data(message.utf8)))
    #expect(try await !verifier.isValid(Data(hex: r + s), for: Data()))
    let own = try await key.signingKey().sign(Data(message.utf8))
    #expect(own.count == 96)
    #expect(try await verifier.isValid(own, for: Data(message.utf8)))
  }
}
