import Foundation
import Programs
import TestSupport

/// Authorities with good and bad certificates, created with openssl.
struct Certificates {
  private let folder: TemporaryFolder

  init(in folder: TemporaryFolder) async throws {
    self.folder = folder
    for authority in ["ca", "other-ca"] {
      try await openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
        "-subj", "/CN=Errand test \(authority)", "-keyout", "\(authority).key", "-out", "\(authority).pem")
    }
    try await make("good", by: "ca", names: "DNS:localhost,IP:127.0.0.1")
    try await make("wrong-host", by: "ca", names: "DNS:elsewhere.test")
    try await make("unknown", by: "other-ca", names: "DNS:localhost,IP:127.0.0.1")
    try await make("expired", by: "ca", names: "DNS:localhost,IP:127.0.0.1", isExpired: true)
  }

  /// The file of the authority to trust.
  var authority: String { folder.path("ca.pem") }

  /// Returns a pin for `pinnedPublicKeys`: SHA-256 of the public key, in base64.
  func pin(of name: String) async throws -> String {
    let key = try await openssl("x509", "-in", "\(name).pem", "-pubkey", "-noout")
    let bytes = try await Program.output(
      of: "openssl", ["pkey", "-pubin", "-outform", "der"], in: folder.url, input: key)
    let digest = try await Program.output(
      of: "openssl", ["dgst", "-sha256", "-binary"], in: folder.url, input: bytes)
    return digest.base64EncodedString()
  }

  private func make(
    _ name: String, by authority: String, names: String, isExpired: Bool = false
  ) async throws {
    try await openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
      "-keyout", "\(name).key", "-out", "\(name).csr")
    try folder.write("subjectAltName=\(names)\n", to: "\(name).ext")
    guard isExpired else {
      try await openssl(
        "x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key",
        "-CAcreateserial", "-days", "30", "-extfile", "\(name).ext", "-out", "\(name).pem")
      return
    }
    // Only `openssl ca` takes dates of the past in every version.
    try folder.write("", to: "index.txt")
    try folder.write("01\n", to: "serial")
    try folder.write(
      """
      [ca]
      default_ca = past
      [past]
      new_certs_dir = .
      database = index.txt
      serial = serial
      default_md = sha256
      policy = any
      [any]
      commonName = supplied
      """, to: "ca.conf")
    try await openssl(
      "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "\(authority).pem", "-keyfile",
      "\(authority).key",
      "-startdate", "20200101000000Z", "-enddate", "20200201000000Z", "-extfile", "\(name).ext",
      "-in", "\(name).csr", "-out", "\(name).pem")
  }

  @discardableResult
  private func openssl(_ arguments: String...) async throws -> Data {
    try await Program.output(of: "openssl", arguments, in: folder.url)
  }
}
