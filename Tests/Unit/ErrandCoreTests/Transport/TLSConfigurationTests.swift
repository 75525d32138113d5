import ErrandCore
import Foundation
import TestSupport
import Testing

@Suite struct TLSConfigurationTests {
  private func problem(_ certificate: ClientCertificate) -> String? {
    do {
      _ = try certificate.read()
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `no description and no dump shows a password or a key`() {
    for certificate in [
      ClientCertificate(file: "/me.p12", password: "s3cret"),
      ClientCertificate(Data("s3cret".utf8), key: Data("s3cret".utf8), password: "s3cret"),
    ] {
      var tls = TLSConfiguration()
      tls.clientCertificate = certificate
      var text = "\(certificate) \(String(reflecting: certificate)) \(tls) \(String(reflecting: tls))"
      dump(certificate, to: &text)
      dump(tls, to: &text)
      #expect(!text.contains("s3cret") && !text.contains(Data("s3cret".utf8).base64EncodedString()))
      #expect(!text.contains("115, 51, 99"), "the bytes: \(text)")
    }
  }

  @Test func `a file that cannot be read is named in the error, with the reason`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "empty")
    try folder.write(Data(count: (1 << 20) + 1), to: "large")
    let cases = [
      (folder.path("none"), "No such file"), (folder.url.path, "regular file"),
      (folder.path("empty"), "has 0 bytes"),
      (folder.path("large"), "has 1048577 bytes"), ("", "no file"), ("a\0b", "no file"),
    ]
    for (path, reason) in cases {
      let said = problem(ClientCertificate(file: path, password: "s3cret")) ?? ""
      #expect(said.contains(reason) && !said.contains("s3cret"), "\(said)")
    }
    try folder.write("-----BEGIN CERTIFICATE-----", to: "cert")
    #expect(problem(ClientCertificate(file: folder.path("cert"))) == nil)
    let said = problem(ClientCertificate(file: folder.path("cert"), keyFile: folder.path("none"))) ?? ""
    #expect(said.contains("the key of the client's certificate cannot be read"))
  }

  @Test func `contents that are empty or too long are refused`() {
    #expect(problem(ClientCertificate(Data())) != nil)
    #expect(problem(ClientCertificate(Data(count: (1 << 20) + 1))) != nil)
  }

  @Test func `a password with NUL is refused, and so is a separate key for PKCS 12`() {
    #expect(problem(ClientCertificate(Data([0x30]), password: "a\0b"))?.contains("NUL") == true)
    #expect(problem(ClientCertificate(Data([0x30]), key: Data([1])))?.contains("PEM only") == true)
    #expect(problem(ClientCertificate(Data([0x30]))) == nil)
  }

  @Test func `TLS versions are ordered, and 1.2 is the lowest by default`() {
    #expect(TLSVersion.tls12 < .tls13)
    #expect(TLSConfiguration().minimumVersion == .tls12)
    #expect("\(TLSVersion.tls13)" == "TLS 1.3")
  }
}
