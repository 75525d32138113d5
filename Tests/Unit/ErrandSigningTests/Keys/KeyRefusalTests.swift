import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

@Suite struct KeyRefusalTests {
  private let files: OpenSSLFiles

  init() throws { files = try OpenSSLFiles() }

  private func refusal(_ pem: String, password: String? = nil) -> SigningError? {
    do {
      _ = try PrivateKey(pem: pem, password: password)
      return nil
    } catch {
      return error
    }
  }

  private func publicRefusal(_ pem: String) -> SigningError? {
    do {
      _ = try PublicKey(pem: pem)
      return nil
    } catch {
      return error
    }
  }

  @Test func `keys that are not supported are refused, private and public`() async throws {
    let kinds = [
      ["-algorithm", "ED448"], ["-algorithm", "X25519"],
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
      ["-algorithm", "DH", "-pkeyopt", "group:ffdhe2048"],
      ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
    ]
    for kind in kinds {
      let pem = try await files.text(["genpkey", "-quiet"] + kind)
      let publicPEM = try await files.text("pkey", "-pubout", input: pem)
      #expect(refusal(pem)?.code == .unsupportedKey, "\(kind)")
      #expect(publicRefusal(publicPEM)?.code == .unsupportedKey, "\(kind)")
    }
  }

  @Test func `each wrong file has a specific error`() async throws {
    let pem = try await files.key(.ed25519)
    let publicPEM = try await files.text("pkey", "-pubout", input: pem)
    let encrypted = try await files.text("pkcs8", "-topk8", "-passout", "pass:right", input: pem)
    let legacy = try await files.text(
      "rsa", "-traditional", "-aes128", "-passout", "pass:right", input: files.key(.rsa))
    #expect(legacy.contains("Proc-Type: 4,ENCRYPTED"))
    let block = { (label: String) in "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n" }
    let errors = [
      refusal(publicPEM), refusal(encrypted), refusal(encrypted, password: "wrong"), refusal(""),
      refusal(legacy, password: "right"), refusal(block("OPENSSH PRIVATE KEY")),
      refusal(block("CERTIFICATE")),
      refusal(block("DH PARAMETERS")), refusal(block("PRIVATE KEY")), refusal(pem + pem), publicRefusal(pem),
      refusal("-----BEGIN PRIVATE KEY-----\nAAAA"),
    ]
    let codes = errors.map { $0?.code }
    #expect(
      codes == [
        .unsupportedKey, .passwordNeeded, .wrongPassword, .invalidKey, .unsupportedKey, .unsupportedKey,
        .unsupportedKey, .unsupportedKey, .invalidKey, .invalidKey, .unsupportedKey, .invalidKey,
      ])
    let sentences = errors.compactMap { $0?.description }
    #expect(Set(sentences).count == sentences.count)
    // Each error says what to do.
    #expect(sentences.allSatisfy { $0.contains("pass ") || $0.contains("convert ") || $0.contains("; ") })
    #expect(publicRefusal(publicPEM + publicPEM)?.code == .invalidKey)
    #expect(publicRefusal(block("PUBLIC KEY"))?.code == .invalidKey)
    #expect(publicRefusal("")?.message.contains("BEGIN PUBLIC KEY") == true)
  }

  @Test func `a key with the label of another kind is refused`() async throws {
    let labels = [
      "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "PUBLIC KEY",
      "RSA PUBLIC KEY",
    ]
    let keys = [
      "PRIVATE KEY": try await files.key(.ed25519), "EC PRIVATE KEY": RFCKeys.p256Private,
      "RSA PRIVATE KEY": RFCKeys.rsaPrivate, "PUBLIC KEY": RFCKeys.p256Public,
      "RSA PUBLIC KEY": RFCKeys.rsaPublic,
    ]
    for (label, pem) in keys {
      for other in labels where other != label {
        let changed = pem.replacing(" \(label)-", with: " \(other)-")
        #expect(refusal(changed, password: "p") != nil, "\(label) as \(other)")
        #expect(publicRefusal(changed) != nil, "\(label) as \(other)")
      }
    }
  }

  @Test func `a key that other bytes follow is refused`() throws {
    for pem in [RFCKeys.ed25519Private, RFCKeys.p256Private, RFCKeys.rsaPrivate] {
      let lines = pem.split(separator: "\n")
      let bytes = try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
      let longer = [String(lines[0]), (bytes + [0]).base64EncodedString(), String(lines[lines.count - 1])]
      #expect(refusal(longer.joined(separator: "\n"))?.code == .invalidKey)
    }
  }

  @Test(arguments: [RFCKeys.ed25519Private, RFCKeys.p256Private, RFCKeys.p256Public, RFCKeys.rsaPublic])
  func `a truncated file is refused`(pem: String) {
    for count in 0..<pem.utf8.count {
      let cut = String(decoding: pem.utf8.prefix(count), as: UTF8.self)
      #expect(refusal(cut) != nil, "\(count) bytes")
      #expect(publicRefusal(cut) != nil, "\(count) bytes")
    }
  }

  @Test(.computesLong) func `a changed file is refused or is another key, and never crashes the process`()
    async throws
  {
    let encrypted = try await files.text(
      "pkcs8", "-topk8", "-iter", "1", "-passout", "pass:p", input: files.key(.p256))
    let pems = [
      RFCKeys.ed25519Private, RFCKeys.p256Private, encrypted, RFCKeys.p256Public, RFCKeys.ed25519Public,
      RFCKeys.rsaPublic, RFCKeys.rsaPSSPublic,
    ]
    var random = Seeded(10)
    for round in 0..<2000 {
      var bytes = Array(pems[round % pems.count].utf8)
      for _ in 0..<random.number(1...3) {
        let index = random.number(0...bytes.count - 1)
        // Often another letter of base64, so that the contents change.
        bytes[index] =
          Bool.random(using: &random) ? UInt8(random.number(0...255)) : UInt8(random.number(65...90))
      }
      let text = String(decoding: bytes, as: UTF8.self)
      // An encrypted key may now require an excessive number of rounds.
      if !text.contains("ENCRYPTED") { _ = refusal(text) }
      _ = publicRefusal(text)
    }
    for _ in 0..<20_000 {
      let junk = random.data(random.number(0...100))
      let text = String(decoding: junk, as: UTF8.self)
      #expect(refusal(text) != nil)
      let block = "-----BEGIN PUBLIC KEY-----\n\(junk.base64EncodedString())\n-----END PUBLIC KEY-----"
      #expect(publicRefusal(block) != nil)
    }
  }

  @Test func `a huge file and a file with NUL are refused`() {
    let room = PEMFile.maximumLength - RFCKeys.ed25519Private.utf8.count
    #expect(refusal(String(repeating: "\n", count: room) + RFCKeys.ed25519Private) == nil)
    #expect(refusal(String(repeating: "\n", count: room + 1) + RFCKeys.ed25519Private)?.code == .invalidKey)
    #expect(refusal(String(repeating: "A", count: 100_000_000))?.code == .invalidKey)
    #expect(refusal("\u{0}" + RFCKeys.ed25519Private.replacing("\n", with: "\u{0}"))?.code == .invalidKey)
    #expect(refusal(String(repeating: "-----BEGIN PRIVATE KEY-----\n", count: 2000))?.code == .invalidKey)
  }

  @Test func `an algorithm that does not match the key is refused, and the error lists those that do`() throws
  {
    let all: [SignatureAlgorithm] = [
      .ed25519, .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPSSSHA512, .rsaV15SHA256, .hmacSHA256,
      SignatureAlgorithm(rawValue: "none"),
    ]
    for pem in [RFCKeys.ed25519Private, RFCKeys.p256Private, RFCKeys.rsaPrivate, RFCKeys.rsaPSSPrivate] {
      let key = try PrivateKey(pem: pem)
      for algorithm in all where !key.algorithms.contains(algorithm) {
        let error = try #require(
          #expect(throws: SigningError.self) { _ = try key.signingKey(for: algorithm) })
        #expect(error.code == .algorithmMismatch)
        #expect(error.message.contains("\(algorithm);"))
        #expect(error.message.contains(key.algorithms[0].rawValue))
        #expect(throws: error) { _ = try key.publicKey.verificationKey(for: algorithm) }
      }
    }
  }

  @Test func `an RSA-PSS key that is restricted to another hash is refused`() async throws {
    let pem = try await files.text(
      "genpkey", "-quiet", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
      "rsa_pss_keygen_md:sha256", "-pkeyopt", "rsa_pss_keygen_mgf1_md:sha256")
    #expect(refusal(pem)?.code == .algorithmMismatch)
    #expect(publicRefusal(try await files.text("pkey", "-pubout", input: pem))?.code == .algorithmMismatch)
  }

  // PBES2 with 2,147,483,647 iterations, an older scheme with the same number, PBES2 with 2^80 and with
  // 10,000,001.
  @Test(arguments: [
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGdMFkGCSqGSIb3DQEFDTBMMCsGCSqGSIb3DQEFDDAeBAhzYWx0c2FsdAIEf///
    /zAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQAAAAAAAAAAAAAAAAAAAAAARA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAA==
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MGIwHgYKKoZIhvcNAQwBAzAQBAhzYWx0c2FsdAIEf////wRAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAA==
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGkMGAGCSqGSIb3DQEFDTBTMDIGCSqGSIb3DQEFDDAlBAhzYWx0c2FsdAILAQAA
    AAAAAAAAAAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAAAAAAAAAAAAAAA
    AAAAAAAEQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGdMFkGCSqGSIb3DQEFDTBMMCsGCSqGSIb3DQEFDDAeBAhzYWx0c2FsdAIEAJiW
    gTAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQAAAAAAAAAAAAAAAAAAAAAARA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAA==
    -----END ENCRYPTED PRIVATE KEY-----
    """,
  ])
  func `a key that would take minutes to decrypt is refused at once`(pem: String) {
    let began = ContinuousClock.now
    let error = refusal(pem, password: "any")
    #expect(error?.code == .unsupportedKey)
    #if os(Linux)
      #expect(error?.message.contains("more than 10000000 iterations") == true)
    #endif
    #expect(ContinuousClock.now - began < .seconds(1))
    #expect(refusal(pem)?.code == .passwordNeeded)
  }
}
