import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

/// Keys that the `openssl` program makes.
@Suite struct KeyFileTests {
  private let files: OpenSSLFiles

  init() throws { files = try OpenSSLFiles() }

  private func expectPair(_ key: PrivateKey, _ publicKey: PublicKey) async throws {
    #expect(key.algorithms.contains(publicKey.algorithms[0]))
    for algorithm in key.algorithms {
      let signature = try await key.signingKey(for: algorithm).sign(Data("data".utf8))
      #expect(try await publicKey.verificationKey(for: algorithm).isValid(signature, for: Data("data".utf8)))
      #expect(try await !publicKey.verificationKey(for: algorithm).isValid(signature, for: Data("date".utf8)))
    }
  }

  @Test(arguments: OpenSSLFiles.Kind.allCases)
  func `a private key in PKCS #8, plain or encrypted, belongs to its public key`(kind: OpenSSLFiles.Kind)
    async throws
  {
    let pem = try await files.key(kind)
    let publicPEM = try await files.text("pkey", "-pubout", input: pem)
    let publicKey = try PublicKey(pem: publicPEM)
    try await expectPair(PrivateKey(pem: pem), publicKey)
    let ways = [["-v2", "aes-256-cbc"], ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"], ["-scrypt"]]
    for way in ways {
      var arguments = ["pkcs8", "-topk8", "-passout", "pass:a päss word"] + way
      arguments += way == ["-scrypt"] ? ["-scrypt_N", "1024"] : ["-iter", "1000"]
      let encrypted = try await files.text(arguments, input: pem)
      #expect(encrypted.contains("BEGIN ENCRYPTED PRIVATE KEY"))
      try await expectPair(PrivateKey(pem: encrypted, password: "a päss word"), publicKey)
      let missing = #expect(throws: SigningError.self) { _ = try PrivateKey(pem: encrypted) }
      #expect(missing?.code == .passwordNeeded)
      for password in ["a pass word", "", "\u{0}", String(repeating: "x", count: 5000)] {
        let wrong = #expect(throws: SigningError.self) {
          _ = try PrivateKey(pem: encrypted, password: password)
        }
        #expect(wrong?.code == .wrongPassword)
      }
      let error = #expect(throws: SigningError.self) { _ = try PublicKey(pem: encrypted) }
      #expect(error?.code == .unsupportedKey)
    }
  }

  @Test(arguments: ["prime256v1", "secp384r1"])
  func `a key in SEC 1, with the parameters before it, is read`(curve: String) async throws {
    let pem = try await files.text("ecparam", "-name", curve, "-genkey")
    #expect(pem.contains("BEGIN EC PARAMETERS") && pem.contains("BEGIN EC PRIVATE KEY"))
    let publicPEM = try await files.text("ec", "-pubout", input: pem)
    try await expectPair(PrivateKey(pem: pem), PublicKey(pem: publicPEM))
    // Without its public part, and with the point compressed.
    let bare = try await files.text("ec", "-no_public", input: pem)
    let compressed = try await files.text("ec", "-pubout", "-conv_form", "compressed", input: pem)
    try await expectPair(PrivateKey(pem: bare), PublicKey(pem: compressed))
  }

  @Test func `an RSA key in PKCS #1, private and public, is read`() async throws {
    let pem = try await files.text("rsa", "-traditional", input: files.key(.rsa))
    #expect(pem.contains("BEGIN RSA PRIVATE KEY"))
    let publicPEM = try await files.text("rsa", "-RSAPublicKey_out", input: pem)
    #expect(publicPEM.contains("BEGIN RSA PUBLIC KEY"))
    try await expectPair(PrivateKey(pem: pem), PublicKey(pem: publicPEM))
  }

  @Test func `text, Windows line ends and certificates around a key are ignored`() async throws {
    let pem = try await files.key(.p256)
    let request = ["req", "-new", "-x509", "-subj", "/CN=a", "-key", "/dev/stdin"]
    let certificate = try await files.text(request, input: pem)
    let publicPEM = try await files.text("pkey", "-pubout", input: pem)
    let whole = "some text\n\(certificate)\(pem)more text".replacing("\n", with: "\r\n")
    try await expectPair(PrivateKey(pem: whole), PublicKey(pem: "x\r\n" + publicPEM))
    for read in [{ _ = try PrivateKey(pem: $0) }, { _ = try PublicKey(pem: $0) }] as [(String) throws -> Void]
    {
      let error = #expect(throws: SigningError.self) { try read(certificate) }
      #expect(error?.code == .unsupportedKey)
      #expect(error?.message.contains("certificate") == true)
    }
  }

  @Test func `openssl accepts Errand's signatures, and Errand accepts those of openssl`() async throws {
    let data = Data("what is signed".utf8)
    try files.folder.write(data, to: "data")
    let pss = [
      "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:64", "-sigopt", "rsa_mgf1_md:sha512",
    ]
    let cases: [(OpenSSLFiles.Kind, SignatureAlgorithm, String, [String], Int?)] = [
      (.p256, .ecdsaP256SHA256, "-sha256", [], 32), (.p384, .ecdsaP384SHA384, "-sha384", [], 48),
      (.rsa, .rsaV15SHA256, "-sha256", [], nil), (.rsa, .rsaPSSSHA512, "-sha512", pss, nil),
    ]
    for (kind, algorithm, digest, options, width) in cases {
      let pem = try await files.key(kind)
      let publicPEM = try await files.text("pkey", "-pubout", input: pem)
      try files.folder.write(pem, to: "key")
      try files.folder.write(publicPEM, to: "public")
      let signature = try await PrivateKey(pem: pem).signingKey(for: algorithm).sign(data)
      let theirs = try width.map { try #require(ECDSASignature.der(raw: signature, width: $0)) } ?? signature
      try files.folder.write(theirs, to: "signature")
      let verify = ["dgst", digest] + options + ["-verify", "public", "-signature", "signature", "data"]
      let said = try await files.text(verify)
      #expect(said.contains("Verified OK"))
      let sign = ["dgst", digest] + options + ["-sign", "key", "data"]
      let made = try await files.run(sign)
      let ours = try width.map { try #require(ECDSASignature.raw(der: made, width: $0)) } ?? made
      let verifier = try PublicKey(pem: publicPEM).verificationKey(for: algorithm)
      #expect(try await verifier.isValid(ours, for: data))
      // RFC 9421 does not use DER.
      if width != nil { #expect(try await !verifier.isValid(made, for: data)) }
    }
  }

  @Test(arguments: ["32", "0", "max"])
  func `an rsa-pss-sha512 signature whose salt does not have 64 bytes is refused`(length: String) async throws
  {
    let pem = try await files.key(.rsa)
    try files.folder.write(pem, to: "key")
    try files.folder.write("data", to: "data")
    let arguments = [
      "dgst", "-sha512", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(length)", "-sign",
      "key", "data",
    ]
    let signature = try await files.run(arguments)
    let verifier = try PrivateKey(pem: pem).publicKey.verificationKey(for: .rsaPSSSHA512)
    #expect(try await !verifier.isValid(signature, for: Data("data".utf8)))
  }
}
