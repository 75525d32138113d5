import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

@Suite struct JWKTests {
  private func edited(_ jwk: String, _ edit: (inout [String: Any]) -> Void) throws -> Data {
    var members = try #require(JSONSerialization.jsonObject(with: Data(jwk.utf8)) as? [String: Any])
    edit(&members)
    return try JSONSerialization.data(withJSONObject: members)
  }

  private func publicPart(_ jwk: String) throws -> Data {
    try edited(jwk) { for name in ["d", "p", "q", "dp", "dq", "qi"] { $0[name] = nil } }
  }

  private func refusal(_ jwk: Data, of read: (Data) throws -> Any) -> SigningError? {
    do {
      _ = try read(jwk)
      return nil
    } catch {
      return error as? SigningError
    }
  }

  private func privateRefusal(_ jwk: Data) -> SigningError? { refusal(jwk) { try PrivateKey(jwk: $0) } }
  private func publicRefusal(_ jwk: Data) -> SigningError? { refusal(jwk) { try PublicKey(jwk: $0) } }
  private func sharedRefusal(_ jwk: Data) -> SigningError? { refusal(jwk) { try SharedKey(jwk: $0) } }

  private static let pairs = [RFCKeys.ed25519JWK, RFCKeys.p256JWK, RFCKeys.rsaJWK]
  private static let files = [RFCKeys.ed25519Public, RFCKeys.p256Public, RFCKeys.rsaPublic]

  @Test(arguments: zip(pairs, files))
  func `a JSON Web Key is the same key as its file`(jwk: String, pem: String) async throws {
    let key = try PrivateKey(jwk: Data(jwk.utf8))
    #expect(key.keyID?.hasPrefix("test-key-") == true)
    let signature = try await key.signingKey().sign(Data("data".utf8))
    let verifiers: [any VerificationKey] = [
      try PublicKey(jwk: publicPart(jwk)).verificationKey(), try PublicKey(pem: pem).verificationKey(),
      try key.publicKey.verificationKey(),
    ]
    for verifier in verifiers { #expect(try await verifier.isValid(signature, for: Data("data".utf8))) }
    #expect(verifiers[0].keyID == key.keyID)
  }

  @Test(arguments: pairs)
  func `the wrong half of a pair is refused, and so is a shared key`(jwk: String) throws {
    let error = privateRefusal(try publicPart(jwk))
    #expect(error?.code == .unsupportedKey)
    #expect(error?.message.contains("pass the JSON Web Key with \"d\"") == true)
    #expect(publicRefusal(Data(jwk.utf8))?.code == .unsupportedKey)
    #expect(sharedRefusal(Data(jwk.utf8))?.code == .unsupportedKey)
    #expect(privateRefusal(Data(RFCKeys.hs256JWK.utf8))?.code == .unsupportedKey)
    #expect(publicRefusal(Data(RFCKeys.hs256JWK.utf8))?.code == .unsupportedKey)
  }

  @Test(arguments: pairs)
  func `a member that is missing, empty, of another type or not base64url is refused`(jwk: String) throws {
    let members = try #require(JSONSerialization.jsonObject(with: Data(jwk.utf8)) as? [String: String])
    for name in members.keys where name != "kid" {
      let values: [Any?] = ["", nil, 5, ["a"], "?", "AA==", "A", " AQAB", "AQAB\n", NSNull()]
      for value in values {
        let error = privateRefusal(try edited(jwk) { $0[name] = value })
        #expect(error != nil, "\(name): \(String(describing: value))")
        if let text = value as? String, text.count > 2 { #expect(error?.message.contains(text) == false) }
      }
      guard !["kty", "crv"].contains(name) else { continue }
      let value = try #require(members[name])
      #expect(
        privateRefusal(try edited(jwk) { $0[name] = "AA" + value }) != nil, "\(name) with a zero before it")
      // OpenSSL ignores a wrong part that only serves speed.
      guard !["dp", "dq", "qi"].contains(name) else { continue }
      #expect(
        privateRefusal(try edited(jwk) { $0[name] = value.dropLast(4).description }) != nil, "\(name) cut")
    }
  }

  @Test func `halves of different keys are refused`() throws {
    let other =
      #"{"kty":"OKP","crv":"Ed25519","d":"\#(Data(count: 32).base64URL)","x":"\#(Data(count: 32).base64URL)"}"#
    #expect(privateRefusal(Data(other.utf8))?.code == .invalidKey)
    let wrong = try edited(RFCKeys.p256JWK) { $0["d"] = Data(repeating: 1, count: 32).base64URL }
    #expect(privateRefusal(wrong)?.code == .invalidKey)
    let members = try #require(
      JSONSerialization.jsonObject(with: Data(RFCKeys.rs256JWK.utf8)) as? [String: String])
    #expect(privateRefusal(try edited(RFCKeys.rsaJWK) { $0["n"] = members["n"] })?.code == .invalidKey)
  }

  @Test func `moving a byte from one coordinate to the other is refused`() throws {
    let members = try #require(
      JSONSerialization.jsonObject(with: Data(RFCKeys.p256JWK.utf8)) as? [String: String])
    let (x, y) = (Data(fromBase64URL: members["x"] ?? ""), Data(fromBase64URL: members["y"] ?? ""))
    let jwk = try edited(RFCKeys.p256JWK) {
      ($0["x"], $0["y"]) = ((x + y.prefix(1)).base64URL, y.dropFirst().base64URL)
    }
    #expect(privateRefusal(jwk)?.message.contains("\"x\"") == true)
  }

  @Test func `a point that is not on its curve is refused`() throws {
    let jwk = try edited(RFCKeys.p256JWK) {
      $0["d"] = nil
      $0["x"] = Data(repeating: 1, count: 32).base64URL
    }
    #expect(publicRefusal(jwk)?.code == .invalidKey)
  }

  @Test func `a key is used only with its algorithm`() throws {
    for (name, algorithm) in [("PS512", SignatureAlgorithm.rsaPSSSHA512), ("RS256", .rsaV15SHA256)] {
      let key = try PrivateKey(jwk: edited(RFCKeys.rsaJWK) { $0["alg"] = name })
      #expect(key.algorithms == [algorithm])
      #expect(key.publicKey.algorithms == [algorithm])
      #expect(try key.signingKey().algorithm == algorithm)
    }
    let key = try PrivateKey(jwk: edited(RFCKeys.rsaJWK) { $0["alg"] = "RS256" })
    let error = #expect(throws: SigningError.self) { _ = try key.signingKey(for: .rsaPSSSHA512) }
    #expect(error?.code == .algorithmMismatch)
    #expect(error?.message.contains("choose rsa-v1_5-sha256") == true)
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["alg"] = "ES384" })?.code == .algorithmMismatch)
    #expect(
      privateRefusal(try edited(RFCKeys.ed25519JWK) { $0["alg"] = "HS256" })?.code == .algorithmMismatch)
    #expect(privateRefusal(try edited(RFCKeys.rsaJWK) { $0["alg"] = "PS256" })?.code == .unsupportedKey)
    #expect(sharedRefusal(try edited(RFCKeys.hs256JWK) { $0["alg"] = "RS256" })?.code == .algorithmMismatch)
    #expect(try SharedKey(jwk: edited(RFCKeys.hs256JWK) { $0["alg"] = "HS256" }).algorithm == .hmacSHA256)
  }

  @Test func `a key for another use is refused`() throws {
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["use"] = "enc" })?.code == .unsupportedKey)
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["use"] = "sig" }) == nil)
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["key_ops"] = ["sign", "verify"] }) == nil)
    #expect(
      privateRefusal(try edited(RFCKeys.p256JWK) { $0["key_ops"] = ["deriveKey"] })?.code == .unsupportedKey)
    let verifies = try edited(String(decoding: publicPart(RFCKeys.p256JWK), as: UTF8.self)) {
      $0["key_ops"] = ["sign"]
    }
    #expect(publicRefusal(verifies)?.code == .unsupportedKey)
    let shared = try SharedKey(jwk: edited(RFCKeys.hs256JWK) { $0["key_ops"] = ["verify"] })
    #expect(throws: SigningError.self) { _ = try shared.sign(Data()) }
    #expect(try !shared.isValid(Data(), for: Data()))
  }

  @Test func `other kinds, curves and primes are refused, and the error names them`() throws {
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["kty"] = "XYZ" })?.code == .unsupportedKey)
    #expect(
      privateRefusal(try edited(RFCKeys.p256JWK) { $0["crv"] = "P-521" })?.message.contains("P-384") == true)
    #expect(privateRefusal(try edited(RFCKeys.p256JWK) { $0["crv"] = "P-384" })?.code == .invalidKey)
    #expect(privateRefusal(try edited(RFCKeys.ed25519JWK) { $0["crv"] = "X25519" })?.code == .unsupportedKey)
    #expect(privateRefusal(try edited(RFCKeys.rsaJWK) { $0["oth"] = [["r": "AQ"]] })?.code == .unsupportedKey)
    let bare = try edited(RFCKeys.rsaJWK) { for name in ["p", "q", "dp", "dq", "qi"] { $0[name] = nil } }
    #expect(privateRefusal(bare)?.message.contains("export the RSA key with all") == true)
    let short = try edited(RFCKeys.rsaJWK) {
      for name in ["d", "p", "q", "dp", "dq", "qi"] { $0[name] = nil }
      $0["n"] = (Data([0xC5]) + Data(repeating: 0xFF, count: 127)).base64URL
    }
    #expect(publicRefusal(short)?.message.contains("1024 bits") == true)
    let long = try edited(RFCKeys.rsaJWK) {
      for name in ["d", "p", "q", "dp", "dq", "qi"] { $0[name] = nil }
      $0["n"] = (Data([0xC5]) + Data(repeating: 0xFF, count: 4095)).base64URL
    }
    #expect(publicRefusal(long)?.message.contains("32768 bits") == true)
  }

  @Test func `an empty shared key is refused, and a key of one byte is accepted`() throws {
    #expect(sharedRefusal(Data(#"{"kty":"oct","k":""}"#.utf8))?.code == .invalidKey)
    #expect(sharedRefusal(Data(#"{"kty":"oct"}"#.utf8))?.code == .invalidKey)
    #expect(sharedRefusal(Data(#"{"kty":"oct","k":"AQ"}"#.utf8)) == nil)
    #expect(refusal(Data()) { try SharedKey($0) }?.code == .invalidKey)
    #expect(try SharedKey(Data([1]), keyID: "k").keyID == "k")
  }

  @Test func `a duplicate member does not crash the process`() {
    for text in [
      #"{"kty":"oct","kty":"RSA","k":"AQ"}"#, #"{"kty":"oct","k":"AQ","k":"Ag"}"#,
      #"{"kty":"\ud800","k":""}"#,
    ] {
      _ = sharedRefusal(Data(text.utf8))
    }
  }

  @Test func `anything except a JSON object of strings is refused`() {
    let texts = [
      "", "{}", "[]", "null", "\"a\"", "{\"kty\":1}", "{\"kty\":\"OKP\"", "{\"kty\":\"oct\",\"k\":\"AQ\"}x",
      "\u{0}",
    ]
    for text in texts { #expect(sharedRefusal(Data(text.utf8))?.code == .invalidKey, "\(text)") }
    for deep in ["[", "{\"a\":"] {
      let nested = "{\"kty\":\"oct\",\"k\":\"AQ\",\"x\":" + String(repeating: deep, count: 10_000)
      #expect(sharedRefusal(Data(nested.utf8))?.code == .invalidKey)
    }
    let long = "{\"kty\":\"oct\",\"k\":\"" + String(repeating: "A", count: JWK.maximumLength) + "\"}"
    #expect(sharedRefusal(Data(long.utf8))?.code == .invalidKey)
    #expect(sharedRefusal(Data([0xFF, 0xFE, 0x7B, 0x00])) != nil)
  }

  @Test(.computesLong) func `a changed key is refused or is another key, and never crashes the process`()
    throws
  {
    var random = Seeded(8)
    for round in 0..<3000 {
      var jwk = Data(Self.pairs[round % 2].utf8)
      for _ in 0..<random.number(1...4) {
        jwk[random.number(0...jwk.count - 1)] = UInt8(random.number(0...255))
      }
      _ = privateRefusal(jwk)
      _ = publicRefusal(jwk)
      _ = sharedRefusal(jwk)
    }
  }
}
