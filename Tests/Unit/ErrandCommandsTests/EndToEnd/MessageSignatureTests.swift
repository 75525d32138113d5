import ErrandCore
import ErrandCrypto
@_spi(Benchmarks) import ErrandSigning
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// `--sign` and `--verify`, on sockets.
@Suite(.timeLimit(.minutes(1))) struct MessageSignatureTests {
  // RFC 9421, B.1.4 and B.1.3.
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
    -----END PRIVATE KEY-----
    """
  /// The same, with the password "pass: wörd".
  private static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgzozTIR8Fh9gICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEEGbU02rR9E7ZxoSX+8a6sEQNr3
    0Sppgt3VVV+VVOaVqL8+Mp2so5jts/vH9GLkIY+nbtCoTct/0ve+TO+OsYOjTfBJ
    7TZcqxa5FSF31SolYb4=
    -----END ENCRYPTED PRIVATE KEY-----
    """
  private static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
    -----END PUBLIC KEY-----
    """
  private static let otherPublicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
    w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
    -----END PUBLIC KEY-----
    """
  private static let shared =
    #"{"kty": "oct", "kid": "hook", "k": "bWswZjFlMmQtbWswZjFlMmQtbWswZjFlMmQtbWswZjE"}"#

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (name, text) in [
      ("key.pem", Self.key), ("public.pem", Self.publicKey), ("other.pem", Self.otherPublicKey),
      ("shared.jwk", Self.shared), ("junk", "junk"), ("locked.pem", Self.encrypted),
      ("password", "pass: wörd\n"), ("wrong", "pass"), ("nothing", "\n"),
      ("broken.pem", Self.key.replacing("MC4C", with: "MC4D")),
    ] {
      try folder.write(text, to: name)
    }
    _ = try folder.zeros("huge", 2 << 20)
  }

  /// Verifies a request as the server received it.
  private func verify(
    _ request: MockRequest, _ key: any VerificationKey, _ components: [MessageComponent]
  ) async throws -> VerifiedSignature {
    let url = try #require(URL(string: "http://\(request.fields["Host"] ?? "")\(request.target)"))
    var verifier = MessageVerifier(keys: [key], requiring: components)
    verifier.maximumAge = .seconds(60)
    verifier.nonces = MemoryNonceStore()
    return try await verifier.verify(
      SignableMessage(request.method, url, fields: request.fields), content: request.body)
  }

  private func server() throws -> MockServer {
    let server = try MockServer()
    server.otherwise { _ in .response(body: "ok") }
    return server
  }

  // MARK: Requests

  @Test(arguments: [
    "post URL -d hello", "put URL -d @film", "upload film URL --compress", "post URL -d - < film",
    "post URL -F a=b -F f=@film", "post URL --json '{}' -u ann:secret",
  ])
  func `--sign covers the method, the URL and the body`(line: String) async throws {
    let server = try server()
    try folder.write(Data.seeded(2_000_000), to: "film")
    let result = try await Tool.shell(
      "$errand \(line.replacing("URL", with: "'\(server.url("/a?b=c"))'")) --sign key.pem --key-id ann",
      in: folder.url)
    #expect(result.text == "ok", "\(result.error)")
    let key = try PublicKey(pem: Self.publicKey, keyID: "ann").verificationKey()
    let signature = try await verify(
      try #require(server.requests.last), key, [.method, .targetURI, .contentDigest])
    #expect(signature.parameters.keyID == "ann")
  }

  @Test func `--cover selects the signed components, and a shared key signs, too`() async throws {
    let server = try server()
    let line =
      "$errand get '\(server.url("/a?b=c"))' -H 'X-A: 1' --sign shared.jwk --cover '@authority,@query,x-a'"
    #expect(try await Tool.shell(line, in: folder.url).code == 0)
    let request = try #require(server.requests.last)
    let key = try SharedKey(jwk: Data(Self.shared.utf8))
    let signature = try await verify(request, key, [.authority, .query, "x-a"])
    #expect(signature.parameters.components.count == 3)
    #expect(signature.parameters.keyID == "hook")
    #expect(try await Tool.shell("\(line) --key-id other", in: folder.url).code == 0)
    #expect(server.requests.last?.fields["Signature-Input"]?.contains("keyid=\"other\"") == true)
    let get = try await Tool.shell("$errand get \(server.url("/")) --sign key.pem", in: folder.url)
    #expect(get.code == 0)
    #expect(server.requests.last?.fields.contains("Content-Digest") == false, "There is no body.")
  }

  @Test(arguments: [
    ("--sign missing", 6), ("--sign junk", 2), ("--sign public.pem", 2), ("--sign broken.pem", 2),
    ("--sign key.pem --cover x-missing", 2), ("--verify key.pem", 2), ("--verify missing", 6),
    ("--verify junk", 2),
    ("--sign .", 6), ("--sign huge", 6),
  ])
  func `an unusable key is reported, and nothing is sent`(options: String, code: Int32) async throws {
    let server = try server()
    let result = try await Tool.shell("$errand get \(server.url("/")) \(options)", in: folder.url)
    #expect(result.code == code, "\(result.error)")
    #expect(!result.error.contains("MC4C") && !result.error.contains("IJ+D"))
    #expect(server.requests.isEmpty)
  }

  @Test func `--key-password reads the password of an encrypted key from a file`() async throws {
    let server = try server()
    let line = "$errand get \(server.url("/")) --sign locked.pem"
    let result = try await Tool.shell("\(line) --key-password @password", in: folder.url)
    #expect(result.code == 0, "\(result.error)")
    let key = try PublicKey(pem: Self.publicKey).verificationKey()
    _ = try await verify(try #require(server.requests.last), key, [.method, .targetURI])
    for (options, code, word) in [
      ("", 2, "--key-password"), ("--key-password @wrong", 2, "cannot be decrypted"),
      ("--key-password @nothing", 6, "empty"), ("--key-password @missing", 6, "missing"),
      ("--key-password wörd", 2, "@FILE"), ("--key-password @", 2, "@FILE"),
    ] {
      let result = try await Tool.shell("\(line) \(options)", in: folder.url)
      #expect(result.code == Int32(code) && result.error.contains(word), "\(options): \(result.error)")
      #expect(!result.error.contains("wörd"))
    }
    let alone = try await Tool.shell(
      "$errand get \(server.url("/")) --key-password @password", in: folder.url)
    #expect(alone.code == 2 && alone.error.contains("--sign or --cert"))
    #expect(server.requests.count == 1)
  }

  // MARK: Responses

  private static let bound: [MessageComponent] = MessageComponent.ofResponse + [.contentDigest]

  /// Returns the fields of a response to a GET of a URL that is signed with the key.
  private func signed(
    _ body: String, to url: URL, covering components: [MessageComponent] = bound, status: HTTPStatus = 200,
    adding others: HTTPFields = [:], lifetime: Duration = .seconds(3600), age: Double = 0
  ) async throws -> HTTPFields {
    var digest = ContentDigest()
    digest[.sha256] = Data(SHA256Digest(hashing: Data(body.utf8)).bytes)
    var fields = others
    fields["Content-Digest"] = try digest.serialized()
    let key = try PrivateKey(pem: Self.key, keyID: "server").signingKey()
    let signer = try MessageSigner(key, covering: components, lifetime: lifetime)
    let message = SignableMessage(
      status, fields: fields, answering: SignableMessage(.get, url, fields: [:]))
    try await signer.signature(of: message, at: Date() - age).add(to: &fields)
    return fields
  }

  /// Runs `errand get --verify` for a server's `/`.
  private func verified(
    _ options: String = "", _ reply: (_ url: URL) async throws -> MockResponse
  ) async throws -> Tool.Result {
    let server = try MockServer()
    let reply = try await reply(server.url("/"))
    server.otherwise { _ in reply }
    let result = try await Tool.shell(
      "$errand get \(server.url("/")) --verify public.pem \(options)", in: folder.url)
    #expect(server.requests.last?.fields["Accept-Encoding"] == "identity")
    return result
  }

  @Test func `--verify shows a signed response, whatever its status`() async throws {
    let good = try await verified { .response(fields: try await signed("hello", to: $0), body: "hello") }
    #expect(good.code == 0 && good.text == "hello", "\(good.error)")
    let json = try await verified("--output json") {
      .response(fields: try await signed("hello", to: $0), body: "hello")
    }
    #expect(json.code == 0 && json.text.contains("hello"), "\(json.error)")
    let missing = try await verified {
      .response(status: 404, fields: try await signed("none", to: $0, status: 404), body: "none")
    }
    #expect(missing.code == 1 && missing.text == "none", "\(missing.error)")
    let empty = try await verified {
      .response(fields: try await signed("", to: $0, covering: MessageComponent.ofResponse))
    }
    #expect(empty.code == 0 && empty.text.isEmpty, "\(empty.error)")
  }

  @Test func `--verify shows nothing of a response that differs from the signed one`() async throws {
    let replies: [(URL) async throws -> (HTTPFields, Int)] = [
      { _ in ([:], 200) }, { (try await signed("other", to: $0), 200) },
      { (try await signed("mk0f", to: $0, covering: MessageComponent.ofResponse), 200) },
      { (try await signed("mk0f", to: $0, covering: [.contentDigest]), 200) },
      { (try await signed("mk0f", to: $0, status: 500), 200) },
      { (try await signed("mk0f", to: $0, age: -3600), 200) },
      {
        var late = try await signed("mk0f", to: $0)
        late["Signature"] = "sig1=:AAAA:"
        return (late, 200)
      },
      {
        var without = try await signed("mk0f", to: $0)
        without["Content-Digest"] = nil
        return (without, 200)
      },
      {
        var coded = try await signed("mk0f", to: $0)
        coded["Content-Encoding"] = "br"
        return (coded, 200)
      },
      { _ in (["Signature-Input": "sig1=(", "Signature": "sig1=:AA==:"], 200) }, { _ in ([:], 500) },
      { _ in ([:], 404) },
    ]
    for (number, reply) in replies.enumerated() {
      let result = try await verified("-iv --retry 1") { url in
        let (fields, status) = try await reply(url)
        return .response(status: status, fields: fields, body: "mk0f")
      }
      #expect(result.code != 0, "\(number)")
      #expect(!(result.text + result.error).contains("mk0f"), "\(number): \(result.text) \(result.error)")
    }
    for options in ["", "--output json", "--activity x"] {
      let result = try await verified(options) {
        .response(fields: try await signed("other", to: $0), body: "mk0f")
      }
      #expect(result.code == 1 && !(result.text + result.error).contains("mk0f"), "\(options)")
    }
    let server = try MockServer()
    let fields = try await signed("mk0f", to: server.url("/"))
    server.otherwise { _ in .response(fields: fields, body: "mk0f") }
    let other = try await Tool.shell("$errand get \(server.url("/")) --verify other.pem", in: folder.url)
    #expect(other.code == 1 && other.text.isEmpty, "\(other.error)")
  }

  @Test func `--verify refuses a response to another request, and an old one`() async throws {
    let other = try await verified {
      .response(fields: try await signed("mk0f", to: $0.appending(path: "other")), body: "mk0f")
    }
    #expect(other.code == 1 && other.text.isEmpty && !other.error.contains("mk0f"), "\(other.error)")
    // A signature of only the status and the content could be for any request.
    let unbound = try await verified {
      .response(fields: try await signed("mk0f", to: $0, covering: [.status, .contentDigest]), body: "mk0f")
    }
    #expect(unbound.code == 1 && unbound.text.isEmpty, "\(unbound.error)")
    #expect(unbound.error.contains("@method") && unbound.error.contains("--verify-cover"), "\(unbound.error)")
    let old = try await verified {
      .response(fields: try await signed("mk0f", to: $0, age: 310), body: "mk0f")
    }
    #expect(old.code == 1 && old.text.isEmpty && old.error.contains("older"), "\(old.error)")
  }

  @Test func `--verify-cover and --verify-age set the requirements for a signature`() async throws {
    func run(_ options: String, covering components: [MessageComponent], age: Double = 0) async throws
      -> Int32
    {
      try await verified(options) {
        .response(fields: try await signed("x", to: $0, covering: components, age: age), body: "x")
      }.code
    }
    let plain: [MessageComponent] = [.status, .contentDigest]
    #expect(try await run("--verify-cover @status", covering: plain) == 0)
    #expect(try await run("--verify-cover '@status, @path;req'", covering: plain) == 1)
    #expect(try await run("--verify-cover '@status, @path;req'", covering: plain + [.path.ofRequest]) == 0)
    #expect(try await run("--verify-age 10m", covering: Self.bound, age: 310) == 0)
    #expect(try await run("--verify-age 10m", covering: Self.bound, age: 610) == 1)
    #expect(try await run("--verify-age 10s", covering: Self.bound, age: 20) == 1)
  }

  @Test func `--verify follows a redirect only if it is signed, with its target`() async throws {
    let signedAll = MessageComponent.ofResponse + ["location"]
    for (components, code) in [(signedAll, 0), (MessageComponent.ofResponse, 1), (nil, 1)]
      as [([MessageComponent]?, Int32)]
    {
      let server = try MockServer()
      let location: HTTPFields = ["Location": "/next"]
      var fields = location
      if let components {
        fields = try await signed(
          "", to: server.url("/"), covering: components, status: 302, adding: location)
      }
      let next = try await signed("next", to: server.url("/next"))
      server.on("/") { [fields] _ in .response(status: 302, fields: fields) }
      server.on("/next") { _ in .response(fields: next, body: "next") }
      let result = try await Tool.shell("$errand get \(server.url("/")) --verify public.pem", in: folder.url)
      #expect(result.code == code, "\(result.error)")
      #expect(result.text == (code == 0 ? "next" : ""))
      #expect(server.count("/next") == (code == 0 ? 1 : 0))
    }
  }
}
