import Foundation
import Programs
import TestSupport

/// Files that the `openssl` program makes, in a dedicated folder.
struct OpenSSLFiles {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func run(_ arguments: [String], input: String = "") async throws -> Data {
    try await Program.output(of: "openssl", arguments, in: folder.url, input: Data(input.utf8))
  }

  func text(_ arguments: String..., input: String = "") async throws -> String {
    String(decoding: try await run(arguments, input: input), as: UTF8.self)
  }

  func text(_ arguments: [String], input: String = "") async throws -> String {
    String(decoding: try await run(arguments, input: input), as: UTF8.self)
  }

  /// Makes a private key, in PKCS #8.
  func key(_ kind: Kind) async throws -> String {
    switch kind {
    case .ed25519: try await text("genpkey", "-algorithm", "ED25519")
    case .p256: try await text("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    case .p384: try await text("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
    case .rsa: try await text("genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
    case .rsaPSS:
      try await text("genpkey", "-quiet", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")
    }
  }

  enum Kind: CaseIterable, Sendable {
    case ed25519, p256, p384, rsa, rsaPSS
  }
}
