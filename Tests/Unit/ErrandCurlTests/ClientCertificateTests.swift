import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite("The client's certificate on the libcurl transport", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
  let nginx: Nginx
  private var certificates: Certificates { nginx.certificates }

  init() async throws {
    nginx = try await Nginx()
    try await nginx.certificates.makeClient()
  }

  private func client(
    _ certificate: ClientCertificate?, _ configure: (inout CurlConfiguration) -> Void = { _ in }
  ) -> Client {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = nginx.certificates.authority
    curl.tls.clientCertificate = certificate
    configure(&curl)
    return Client(transport: CurlTransport(configuration: curl))
  }

  private func file(_ name: String, key: String? = nil, _ password: String? = nil) -> ClientCertificate {
    ClientCertificate(
      file: certificates.path(name), keyFile: key.map(certificates.path), password: password)
  }

  private func name(_ certificate: ClientCertificate?) async throws -> String? {
    try await client(certificate).send(.get(nginx.url("client", "/client"))).text
  }

  @Test func `a certificate in any supported form is sent to a server that asks for one`() async throws {
    let forms = [
      file("me.pem", key: "me.key"), file("both.me.key"), file("both.me.key", "not needed"),
      file("both.me.enc.key", "s3cret"), file("me.pem", key: "me.enc.key", "s3cret"),
      file("me.pem", key: "me.old.key", "s3cret"), file("me.p12", "s3cret"), file("open.p12"),
      file("open.p12", ""),
      ClientCertificate(
        try Data(contentsOf: URL(filePath: certificates.path("me.pem"))),
        key: try Data(contentsOf: URL(filePath: certificates.path("me.enc.key"))), password: "s3cret"),
      ClientCertificate(try Data(contentsOf: URL(filePath: certificates.path("me.p12"))), password: "s3cret"),
    ]
    for form in forms { #expect(try await name(form) == "CN=me TLSv1.3", "\(form)") }
  }

  @Test func `a certificate is not sent to a server that does not ask for one`() async throws {
    let text = try await client(file("me.p12", "s3cret")).send(.get(nginx.url("good", "/client"))).text
    #expect(text == " TLSv1.3")
  }

  private static let broken: [(certificate: String, key: String?, password: String?, reason: String)] = [
    ("none.pem", nil, nil, "cannot be read"), ("me.pem", "none.key", nil, "cannot be read"),
    ("both.me.enc.key", nil, nil, "is encrypted: give its password"),
    ("both.me.enc.key", nil, "wrong-s3cret", "is wrong, or the key is damaged"),
    ("me.pem", "me.old.key", nil, "is encrypted: give its password"),
    ("me.pem", "me.old.key", "wrong-s3cret", "is wrong, or the key is damaged"),
    ("me.p12", nil, nil, "is encrypted: give its password"),
    ("me.p12", nil, "wrong-s3cret", "PKCS #12 is wrong"),
    ("open.p12", nil, "wrong-s3cret", "PKCS #12 is wrong"),
    ("me.pem", nil, nil, "contains no private key: give"),
    ("me.pem", "me.pem", nil, "contains no private key (-----BEGIN"),
    ("me.key", nil, nil, "contains no certificate"),
    ("me.pem", "stranger.key", nil, "does not belong to the client's"),
    ("me.pem", "good.key", nil, "does not belong to the client's"),
    ("junk", nil, nil, "neither PEM nor PKCS #12"),
    ("cut.pem", nil, nil, "is damaged"),
    ("second.pem", "me.key", nil, "certificate 2 of the client's certificates is damaged"),
    ("me.pem", "cut.key", nil, "is damaged"), ("cut.p12", nil, "s3cret", "neither PEM nor PKCS #12"),
    ("certificate.p12", nil, "s3cret", "no certificate with its key"),
  ]

  @Test func `an unusable certificate is an error that gives the reason, and nothing is sent`() async throws {
    try certificates.write("\u{1}junk", to: "junk")
    let pem = try String(contentsOfFile: certificates.path("me.pem"), encoding: .utf8)
    let key = try String(contentsOfFile: certificates.path("me.key"), encoding: .utf8)
    try certificates.write(String(pem.prefix(200)), to: "cut.pem")
    try certificates.write(pem + pem.prefix(200), to: "second.pem")
    try certificates.write(String(key.prefix(100)), to: "cut.key")
    try Data(contentsOf: URL(filePath: certificates.path("me.p12"))).dropLast(20)
      .write(to: URL(filePath: certificates.path("cut.p12")))
    try await certificates.package("certificate.p12", "-nokeys", "-passout", "pass:s3cret")
    let server = try MockServer()
    for (certificate, key, password, reason) in Self.broken {
      let client = client(file(certificate, key: key, password))
      let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.reachedServer == false)
      #expect(error?.attempt == 1, "it is not retried")
      var said = "\(error.map { "\($0)" } ?? "") \(error.map(String.init(reflecting:)) ?? "")"
      #expect(said.contains(reason), "\(certificate), \(key ?? "-"): \(said)")
      error?.underlying.map { said += "\($0)" }
      #expect(!said.contains("s3cret"), "\(said)")
    }
    #expect(server.connections.isEmpty)
  }

  @Test func `the transport checks its configuration on request`() throws {
    var curl = CurlConfiguration()
    curl.tls.clientCertificate = file("me.p12", "wrong")
    let error = #expect(throws: RequestError.self) {
      try CurlTransport(configuration: curl).checkConfiguration()
    }
    #expect(error?.code == .invalidConfiguration)
    try CurlTransport().checkConfiguration()
  }

  @Test func `an old kind of PKCS 12 is opened, or refused as too old`() async throws {
    do { try await certificates.package("old.p12", "-legacy", "-passout", "pass:s3cret") } catch {
      print("⚠️ SKIPPED: this openssl cannot create the old kind of PKCS #12: \(error)")
      return
    }
    let error = await #expect(throws: RequestError.self) { try await name(file("old.p12", "s3cret")) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("openssl pkcs12 -legacy") == true, "\(error?.message ?? "")")
  }

  @Test func `a missing or foreign client certificate is a TLS failure if the server requires one`()
    async throws
  {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "in") }
    let relay = try await TLSRelay(to: server.port, "good", of: certificates, clients: .required)
    let url = "https://localhost:\(relay.port)/"
    #expect(try await client(file("me.p12", "s3cret")).send(.get(url)).text == "in")
    let none = await #expect(throws: RequestError.self) { try await client(nil).send(.get(url)) }
    #expect(none?.code == .tlsFailed)
    #expect(
      none?.message.hasPrefix("the server wants a client certificate") == true, "\(none?.message ?? "")")
    let stranger = await #expect(throws: RequestError.self) {
      try await client(file("stranger.pem", key: "stranger.key")).send(.get(url))
    }
    #expect(stranger?.code == .tlsFailed)
    #expect(
      stranger?.message.hasPrefix("the server refuses the client's certificate") == true,
      "\(stranger?.message ?? "")")
    #expect(server.requests.count == 1)
  }

  @Test func `clients with different certificates share no connection`() async throws {
    let url = nginx.url("client", "/client")
    let clients = [file("me.p12", "s3cret"), file("stranger.pem", key: "stranger.key"), nil].map {
      client($0)
    }
    for _ in 0..<3 {
      #expect(try await clients[0].send(.get(url)).text == "CN=me TLSv1.3")
      for client in clients[1...] {
        let response = try await client.send(.get(url).acceptingAnyStatus())
        #expect(response.status == 400)
      }
    }
  }

  @Test func `a redirect to a server that asks for the certificate is followed with it`() async throws {
    let url = nginx.url("good", "/to?host=localhost:\(nginx.port("client"))")
    #expect(try await client(file("me.p12", "s3cret")).send(.get(url)).text == "CN=me TLSv1.3")
  }

  #if os(Linux)
    @Test func `a certificate is never sent to a proxy`() async throws {
      let target = nginx.port("client")
      let proxy = try RawProxy { _ in .tunnel(target) }
      defer { proxy.stop() }
      let relay = try await TLSRelay(to: proxy.port, "good", of: certificates, clients: .wanted)
      let client = client(file("me.p12", "s3cret")) { $0.proxy = .url("https://localhost:\(relay.port)") }
      #expect(try await client.send(.get(nginx.url("client", "/client"))).text == "CN=me TLSv1.3")
      #expect(await relay.handshakes(1) == ["-"])
    }
  #endif

  @Test func `a TLS version below the minimum is not used`() async throws {
    #expect(try await client(nil).send(.get(nginx.url("old"))).text == "hello")
    let error = await #expect(throws: RequestError.self) {
      try await client(nil) { $0.tls.minimumVersion = .tls13 }.send(.get(nginx.url("old")))
    }
    #expect(error?.code == .tlsFailed)
    #expect(error?.reachedServer == false)
    #expect(error?.message.hasPrefix("the server does not speak TLS 1.3") == true, "\(error?.message ?? "")")
    let new = client(nil) { $0.tls.minimumVersion = .tls13 }
    #expect(try await new.send(.get(nginx.url("good", "/client"))).text == " TLSv1.3")
  }

  /// A key in PBES2 with 2,147,483,647 iterations; and PKCS #12 files with the same number for the MAC, for
  /// the key, and for the certificates.
  private static let slow: [(pem: String?, package: String?)] = [
    (
      """
      -----BEGIN ENCRYPTED PRIVATE KEY-----
      MIGdMFkGCSqGSIb3DQEFDTBMMCsGCSqGSIb3DQEFDDAeBAhzYWx0c2FsdAIEf///
      /zAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQAAAAAAAAAAAAAAAAAAAAAARA
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      AAAAAAAAAAAAAAAAAAAAAA==
      -----END ENCRYPTED PRIVATE KEY-----
      """, nil
    ),
    (
      nil,
      "MFsCAQMwEQYJKoZIhvcNAQcBoAQEAjAAMEMwMTANBglghkgBZQMEAgEFAAQgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAECHNhbHRzYWx0AgR/////"
    ),
    (
      nil,
      "MIIBJgIBAzCB3gYJKoZIhvcNAQcBoIHQBIHNMIHKMIHHBgkqhkiG9w0BBwGggbkEgbYwgbMwgbAGCyqGSIb3DQEMCgECoIGgMIGdMFkGCSqGSIb3DQEFDTBMMCsGCSqGSIb3DQEFDDAeBAhzYWx0c2FsdAIEf////zAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQAAAAAAAAAAAAAAAAAAAAAARAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADBAMDEwDQYJYIZIAWUDBAIBBQAEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAhzYWx0c2FsdAIBAQ=="
    ),
    (
      nil,
      "MIG7AgEDMHQGCSqGSIb3DQEHAaBnBGUwYzBhBgkqhkiG9w0BBwagVDBSAgEAME0GCSqGSIb3DQEHATAeBgoqhkiG9w0BDAEDMBAECHNhbHRzYWx0AgR/////gCAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADBAMDEwDQYJYIZIAWUDBAIBBQAEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAhzYWx0c2FsdAIBAQ=="
    ),
  ]

  @Test(arguments: slow)
  func `a key that would take minutes to decrypt is refused at once`(pem: String?, package: String?)
    async throws
  {
    let certificate: ClientCertificate
    if let package {
      certificate = ClientCertificate(try #require(Data(base64Encoded: package)), password: "any")
    } else {
      certificate = ClientCertificate(
        try Data(contentsOf: URL(filePath: certificates.path("me.pem"))), key: Data((pem ?? "").utf8),
        password: "any")
    }
    let began = ContinuousClock.now
    let error = await #expect(throws: RequestError.self) { try await name(certificate) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("more than 10000000 iterations") == true, "\(String(describing: error))")
    #expect(ContinuousClock.now - began < .seconds(5))
  }
}
