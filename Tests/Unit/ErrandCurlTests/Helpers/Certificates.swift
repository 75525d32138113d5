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
    try await make(
      "good", by: "ca",
      names: "DNS:localhost,IP:127.0.0.1,DNS:pins.test,DNS:a.pins.test,DNS:b.a.pins.test")
    try await make("wrong-host", by: "ca", names: "DNS:elsewhere.test")
    try await make("unknown", by: "other-ca", names: "DNS:localhost,IP:127.0.0.1")
    try await make("expired", by: "ca", names: "DNS:localhost,IP:127.0.0.1", isExpired: true)
  }

  /// The file of the authority to trust.
  var authority: String { folder.path("ca.pem") }

  /// Returns the pin of a certificate's key, as openssl computes it.
  func pin(of name: String) async throws -> String {
    let key = try await openssl("x509", "-in", "\(name).pem", "-pubkey", "-noout")
    let bytes = try await Program.output(
      of: "openssl", ["pkey", "-pubin", "-outform", "der"], in: folder.url, input: key)
    let digest = try await Program.output(
      of: "openssl", ["dgst", "-sha256", "-binary"], in: folder.url, input: bytes)
    return "sha256/\(digest.base64EncodedString())"
  }

  func path(_ name: String) -> String { folder.path(name) }

  /// Makes certificates and keys for a client, in every supported form.
  func makeClient() async throws {
    try await make("me", by: "ca", names: "DNS:me")
    try await make("stranger", by: "other-ca", names: "DNS:stranger")
    try await openssl("pkcs8", "-topk8", "-in", "me.key", "-passout", "pass:s3cret", "-out", "me.enc.key")
    try await openssl("ec", "-in", "me.key", "-aes128", "-passout", "pass:s3cret", "-out", "me.old.key")
    try await package("me.p12", "-certfile", "ca.pem", "-passout", "pass:s3cret")
    try await package("open.p12", "-passout", "pass:")
    for name in ["me.enc.key", "me.key"] {
      let both =
        try String(contentsOfFile: path("me.pem"), encoding: .utf8)
        + String(contentsOfFile: path(name), encoding: .utf8)
      try folder.write(both, to: "both.\(name)")
    }
  }

  /// Makes a certificate for localhost with a separate key.
  func makeProxy() async throws { try await make("proxy", by: "ca", names: "DNS:localhost") }

  /// Makes PKCS #12 files of the client's certificate.
  func package(_ name: String, _ options: String...) async throws {
    try await Program.output(
      of: "openssl",
      ["pkcs12", "-export", "-in", "me.pem", "-inkey", "me.key", "-out", name] + options, in: folder.url)
  }

  func write(_ text: String, to name: String) throws { try folder.write(text, to: name) }

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
    // Only `openssl ca` accepts dates in the past in every version.
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
