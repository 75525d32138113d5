import Foundation
import Testing

@testable import ErrandSigning

@Suite struct PBES2Tests {
  private func read(_ pem: String) throws -> PBES2? {
    PBES2(try PEMFile(pem).privateKey().bytes.withUnsafeBytes { Data($0) })
  }

  @Test func `the parameters of a key that openssl has encrypted are parsed`() async throws {
    let files = try OpenSSLFiles()
    let cases: [([String], PBES2.Hash, Int)] = [
      (["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA1"], .sha1, 16), (["-v2", "aes-192-cbc"], .sha256, 24),
      (["-v2", "aes-256-cbc"], .sha256, 32),
      (["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA384"], .sha384, 32),
      (["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA512"], .sha512, 32),
    ]
    for (arguments, hash, length) in cases {
      let pem = try await files.text(
        ["pkcs8", "-topk8", "-iter", "1234", "-passout", "pass:p"] + arguments, input: RFCKeys.ed25519Private)
      let read = try #require(try read(pem))
      #expect(read.hash == hash)
      #expect(read.keyLength == length)
      #expect(read.iterations == 1234)
      #expect(read.salt.count == 8 || read.salt.count == 16)
      #expect(read.initializationVector.count == 16)
      #expect(read.ciphertext.count == 48 || read.ciphertext.count == 64)
    }
    let other = try await files.text(
      "pkcs8", "-topk8", "-scrypt", "-passout", "pass:p", input: RFCKeys.ed25519Private)
    #expect(try read(other) == nil)
  }

  @Test func `a key that is truncated or changed is read or refused, and never crashes the process`()
    async throws
  {
    let pem = try await OpenSSLFiles().text(
      "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:p", input: RFCKeys.ed25519Private)
    let bytes = try PEMFile(pem).privateKey().bytes.withUnsafeBytes { Data($0) }
    for count in 0..<bytes.count { #expect(PBES2(bytes.prefix(count)) == nil) }
    for bit in 0..<bytes.count * 8 { _ = PBES2(bytes.flipping(bit)) }
    #expect(PBES2(bytes + [0]) == nil)
  }

  @Test func `the two forms of keys are parsed, and not mistaken for each other`() throws {
    let p256 = try PEMFile(RFCKeys.p256Public).publicKey().bytes.withUnsafeBytes { Data($0) }
    let info = try #require(KeyInfo(publicKey: p256))
    #expect(info.algorithm == ObjectIdentifier.ellipticKey)
    #expect(info.curve == ObjectIdentifier.p256)
    #expect(info.key.count == 65)
    #expect(!info.isRestricted)
    #expect(KeyInfo(privateKey: p256) == nil)
    // Unused bits before the point.
    var odd = p256
    odd[odd.count - 66] = 1
    #expect(KeyInfo(publicKey: odd) == nil)
    let edwards = try PEMFile(RFCKeys.ed25519Private).privateKey().bytes.withUnsafeBytes { Data($0) }
    let own = try #require(KeyInfo(privateKey: edwards))
    #expect(own.algorithm == ObjectIdentifier.ed25519)
    #expect(own.curve == nil)
    #expect(own.key.count == 34)
    #expect(KeyInfo(publicKey: edwards) == nil)
    let rsa = try PEMFile(RFCKeys.rsaPSSPrivate).privateKey().bytes.withUnsafeBytes { Data($0) }
    #expect(KeyInfo(privateKey: rsa)?.algorithm == ObjectIdentifier.rsaPSS)
    #expect(
      KeyInfo(publicKey: try PEMFile(RFCKeys.rsaPSSPublic).publicKey().bytes.withUnsafeBytes { Data($0) })?
        .algorithm == ObjectIdentifier.rsa)
  }
}
