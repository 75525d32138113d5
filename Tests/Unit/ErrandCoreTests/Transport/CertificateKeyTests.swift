import ErrandCrypto
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct CertificateKeyTests {
  /// A certificate in DER, and its key as openssl finds it.
  private func certificate(_ key: [String]) async throws -> (Data, info: Data) {
    let folder = try TemporaryFolder()
    try await Program.output(
      of: "openssl",
      ["req", "-x509", "-nodes", "-subj", "/CN=a.test/O=An organisation", "-keyout", "key", "-out", "cert"]
        + ["-newkey"] + key, in: folder.url)
    let der = try await Program.output(
      of: "openssl", ["x509", "-in", "cert", "-outform", "der"], in: folder.url)
    let info = try await Program.output(
      of: "openssl", ["pkey", "-in", "key", "-pubout", "-outform", "der"], in: folder.url)
    return (der, info)
  }

  @Test(arguments: [
    ["rsa:2048"], ["ed25519"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"],
  ])
  func `the key of a certificate is the one that openssl finds`(_ key: [String]) async throws {
    let (certificate, info) = try await certificate(key)
    #expect(CertificateKey.info(in: certificate) == info)
    // The indices of a slice do not begin at 0.
    #expect(CertificateKey.info(in: (Data([1, 2]) + certificate).dropFirst(2)) == info)
    let digest = SHA256Digest(hashing: info)
    #expect(
      PublicKeyPin(certificate: certificate)?.description
        == "sha256/\(Data(digest.bytes).base64EncodedString())")
  }

  @Test func `a certificate that is truncated, or that other bytes follow, has no key`() async throws {
    let (certificate, _) = try await certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    for length in 0..<certificate.count {
      #expect(CertificateKey.info(in: certificate.prefix(length)) == nil)
    }
    #expect(CertificateKey.info(in: certificate + [0]) == nil)
  }

  @Test func `parsing random bytes as a certificate never crashes`() async throws {
    let (certificate, _) = try await certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    var random = SeededRandom(seed: 12)
    for _ in 0..<20_000 {
      var junk = certificate
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        junk[Int.random(in: 0..<junk.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = CertificateKey.info(in: junk)
    }
    for length in [0x80, 0x81, 0x84, 0xFF] as [UInt8] {
      #expect(
        CertificateKey.info(in: Data([0x30, length, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])) == nil)
    }
  }
}
