import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandSigning

/// `Request.verified`, over sockets.
@Suite(.timeLimit(.minutes(1))) struct VerifiedResponseTests {
  private let wire: Wire
  private let url: URL
  private let key: PrivateKey

  init() throws {
    wire = try Wire { $0.retry = .never }
    url = wire.server.url("/a?b=c")
    key = try PrivateKey(pem: RFCKeys.ed25519Private, keyID: "server")
  }

  private static let bound: [MessageComponent] = MessageComponent.ofResponse + [.contentDigest]

  /// Signs a response to a GET.
  private func signed(
    _ body: String = "", to url: URL? = nil, covering components: [MessageComponent] = bound,
    status: HTTPStatus = 200, adding others: HTTPFields = [:], requestFields: HTTPFields = [:],
    age: Double = 0,
    with key: PrivateKey? = nil, label: String = "sig1", onto before: HTTPFields? = nil
  ) async throws -> HTTPFields {
    var fields = before ?? others
    if before == nil {
      fields["Content-Digest"] = try ContentDigest(of: Data(body.utf8)).serialized()
    }
    let signer = try MessageSigner(
      (key ?? self.key).signingKey(), covering: components, label: label, lifetime: nil)
    let request = SignableMessage(.get, url ?? self.url, fields: requestFields)
    let message = SignableMessage(status, fields: fields, answering: request)
    try await signer.signature(of: message, at: Date() - age).add(to: &fields)
    return fields
  }

  private var verified: Request {
    get throws { .get(url).verified(by: try key.publicKey.verificationKey()) }
  }

  private func respond(_ fields: HTTPFields, _ body: String = "x", status: Int = 200) {
    wire.server.on("/a") { _ in .response(status: status, fields: fields, body: body) }
  }

  private func expectRefused(_ request: Request, _ code: SigningError.Code, _ note: String = "") async {
    let error = await #expect(throws: RequestError.self) { try await wire.client.send(request) }
    #expect(
      error?.code == .integrityFailed && (error?.underlying as? SigningError)?.code == code,
      "\(note) \(error?.message ?? "")")
  }

  @Test func `a response that one key verified is not cached for another with the same name`() throws {
    let (one, same, other) = (
      try PublicKey(pem: RFCKeys.ed25519Public, keyID: "server"),
      try PublicKey(pem: RFCKeys.ed25519Public, keyID: "server"),
      try PublicKey(pem: RFCKeys.p256Public, keyID: "server")
    )
    let identities = try [one, same, other].map { key in
      try Request.get(url).verified(by: key.verificationKey()).options.responseFilters.map(\.value.identity)
    }
    #expect(identities[0] == identities[1])
    #expect(identities[0] != identities[2])
    let secrets = try ["one", "other"].map { try SharedKey(Data($0.utf8), keyID: "k") }
    let shared = secrets.map {
      Request.get(url).verified(by: $0).options.responseFilters.map(\.value.identity)
    }
    #expect(shared[0] != shared[1])
  }

  @Test func `a response is accepted if its signature covers it and binds it to the request`() async throws {
    respond(try await signed("x"))
    #expect(try await wire.client.send(verified).text == "x")
    #expect(wire.server.requests.last?.fields["Accept-Encoding"] == "identity")
    respond(try await signed(covering: MessageComponent.ofResponse), "")
    #expect(try await wire.client.send(verified).text == "")
  }

  @Test func `the signature of another request's response is not accepted`() async throws {
    respond(try await signed("x", to: wire.server.url("/a?b=d")))
    await expectRefused(try verified, .invalidSignature)
    respond(try await signed("x", covering: [.status, .contentDigest]))
    await expectRefused(try verified, .missingComponent)
    respond(try await signed("x"), status: 203)
    await expectRefused(try verified, .invalidSignature)
    respond([:])
    await expectRefused(try verified, .noSignature)
  }

  @Test func `the caller chooses the required components and the maximum age of a signature`() async throws {
    let key = try key.publicKey.verificationKey()
    respond(try await signed("x", covering: [.status, .contentDigest], age: 310))
    await expectRefused(.get(url).verified(by: key, covering: [.status]), .expired)
    #expect(
      try await wire.client.send(.get(url).verified(by: key, covering: [.status], maxAge: nil)).text == "x")
    #expect(
      try await wire.client.send(.get(url).verified(by: key, covering: [.status], maxAge: .seconds(600))).text
        == "x")
    await expectRefused(
      .get(url).verified(by: key, covering: [.status, .path.ofRequest], maxAge: nil), .missingComponent)
  }

  @Test func `a signature must cover the content and its type`() async throws {
    respond(try await signed("y"))
    let error = await #expect(throws: RequestError.self) { try await wire.client.send(verified) }
    #expect((error?.underlying as? SigningError)?.code == .mismatch)
    respond(try await signed("x", covering: MessageComponent.ofResponse))
    await expectRefused(try verified, .missingComponent)
    var without = try await signed("x", covering: MessageComponent.ofResponse)
    without["Content-Digest"] = nil
    respond(without)
    await expectRefused(try verified, .missingComponent)
  }

  /// One signature is valid and covers little; the other covers the content, and is made with another key.
  @Test func `parts that only a signature with another key covers do not count`() async throws {
    let other = try PrivateKey(pem: RFCKeys.p256Private, keyID: "server")
    var fields = try await signed("x", covering: MessageComponent.ofResponse)
    fields = try await signed("x", with: other, label: "sig2", onto: fields)
    respond(fields)
    await expectRefused(try verified, .missingComponent)
  }

  @Test func `a signature must cover the content coding, which is then decoded`() async throws {
    let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAAAA6sAAIMW3IwBAAAA"))
    let coding: HTTPFields = ["Content-Encoding": "gzip"]
    for (components, isGood) in [(Self.bound + ["content-encoding"], true), (Self.bound, false)] {
      var fields = coding
      fields["Content-Digest"] = try ContentDigest(of: gzip).serialized()
      fields = try await signed(covering: components, onto: fields)
      wire.server.on("/a") { [fields] _ in .response(fields: fields, body: gzip) }
      if isGood {
        #expect(try await wire.client.send(verified).text == "x")
      } else {
        await expectRefused(try verified, .missingComponent)
      }
    }
  }

  @Test func `responses without content are verified, too`() async throws {
    let request = try verified.accepting(200..<400)
    for status in [204, 304] {
      respond(
        try await signed(covering: MessageComponent.ofResponse, status: HTTPStatus(status)), "",
        status: status)
      #expect(try await wire.client.send(request).status.code == status)
      respond([:], "", status: status)
      await expectRefused(request, .noSignature, "\(status)")
    }
    respond([:], "")
    await expectRefused(.head(url).verified(by: try key.publicKey.verificationKey()), .noSignature)
  }

  @Test func `an unaccepted status is reported as such, signed or not`() async throws {
    respond([:], "nothing", status: 404)
    let error = await #expect(throws: RequestError.self) { try await wire.client.send(verified) }
    #expect(error?.code == .rejected && error?.status == 404)
  }

  @Test func `a redirect is followed only if its signature covers its target`() async throws {
    let next = wire.server.url("/next")
    wire.server.on("/next") { [fields = try await signed("x", to: next)] _ in
      .response(fields: fields, body: "x")
    }
    let location: HTTPFields = ["Location": "/next"]
    for (components, isGood) in [
      (MessageComponent.ofResponse + ["location"], true), (MessageComponent.ofResponse, false),
      (["location"], false),
    ] {
      respond(
        try await signed(covering: components, status: 307, adding: location), "ignored", status: 307)
      if isGood {
        #expect(try await wire.client.send(verified).text == "x")
      } else {
        await expectRefused(try verified, .missingComponent, "\(components)")
      }
    }
    respond(location, "", status: 307)
    await expectRefused(try verified, .noSignature)
    #expect(wire.server.count("/next") == 1)
    // A redirect that is not followed is a response like any other.
    respond(try await signed("x", status: 307, adding: location), status: 307)
    let unfollowed = try verified.redirects(RedirectPolicy(limit: 0)).acceptingAnyStatus()
    #expect(try await wire.client.send(unfollowed).status == 307)
  }

  @Test func `a file is put in place only when all of it is verified`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("file")
    respond(try await signed("x"))
    try await wire.client.download(verified, to: file)
    #expect(try String(contentsOf: file, encoding: .utf8) == "x")
    for fields in [try await signed("y"), try await signed("x", covering: [.status, .contentDigest]), [:]] {
      respond(fields)
      await #expect(throws: RequestError.self) {
        try await wire.client.download(verified, to: file, resume: true)
      }
      #expect(try folder.names == ["file"], "No part is left to resume.")
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "x")
  }

  @Test func `the rest of a file requires a signature over the whole`() async throws {
    let folder = try TemporaryFolder()
    let whole = String(repeating: "0123456789", count: 30_000)
    let tag = #""v1""#
    let key = try key.publicKey.verificationKey()
    let repr = try ReprDigest(of: Data(whole.utf8)).serialized() ?? ""
    let first = try await signed(whole, adding: ["ETag": tag, "Accept-Ranges": "bytes"])
    for (components, isGood) in [(Self.bound + ["repr-digest"], true), (Self.bound, false)] {
      let file = folder.file("file \(isGood)")
      let server = wire.server
      server.on("/a") { _ in .response(fields: first, body: whole).closing(at: .body(100_000)) }
      _ = try? await wire.client.download(.get(url).verified(by: key), to: file, resume: true)
      let rest = String(whole.dropFirst(100_000))
      let fields = try await signed(
        rest, covering: components, status: 206,
        adding: [
          "ETag": tag, "Repr-Digest": repr, "Content-Range": "bytes 100000-299999/300000",
        ])
      server.on("/a") { request in
        request.fields["Range"] == "bytes=100000-"
          ? .response(status: 206, fields: fields, body: rest) : .response(status: 500)
      }
      if isGood {
        try await wire.client.download(.get(url).verified(by: key), to: file, resume: true)
        #expect(try String(contentsOf: file, encoding: .utf8) == whole)
      } else {
        let error = await #expect(throws: RequestError.self) {
          try await wire.client.download(.get(url).verified(by: key), to: file, resume: true)
        }
        #expect((error?.underlying as? SigningError)?.code == .missingComponent)
        #expect(!FileManager.default.fileExists(atPath: file.path))
      }
    }
  }

  @Test func `a stream begins after its head is verified, and ends with the error of its content`()
    async throws
  {
    respond(try await signed("y"))
    let stream = try await wire.client.stream(verified)
    var text = ""
    let error = await #expect(throws: RequestError.self) {
      for try await chunk in stream.chunks { text += String(decoding: chunk, as: UTF8.self) }
    }
    #expect(error?.code == .integrityFailed)
    respond([:])
    let none = await #expect(throws: RequestError.self) { try await wire.client.stream(verified) }
    #expect((none?.underlying as? SigningError)?.code == .noSignature)
    try await wire.server.waitForOpenConnections(1)
  }

  @Test func `a verifier may require nonces, and may have several keys`() async throws {
    let other = try PrivateKey(pem: RFCKeys.p256Private, keyID: "other")
    var verifier = MessageVerifier(
      keys: [try key.publicKey.verificationKey(), try other.publicKey.verificationKey()],
      requiring: MessageComponent.ofResponse)
    verifier.maximumAge = .seconds(300)
    verifier.nonces = MemoryNonceStore()
    respond(try await signed("x", with: other))
    #expect(try await wire.client.send(.get(url).verified(by: verifier)).text == "x")
    await expectRefused(.get(url).verified(by: verifier), .replayed)
  }

  @Test func `the signature may be bound to the request's own signature`() async throws {
    let key = try key.publicKey.verificationKey()
    let components: [MessageComponent] = [.status, .field("signature").ofRequest, .contentDigest]
    let server = wire.server
    struct Fixed: RequestSigner {
      func sign(_ request: inout OutgoingRequest) { request.fields.set("Signature", "sig1=:AAAA:") }
    }
    let request = Request.get(url).signed(by: Fixed())
    respond(try await signed("x", covering: components, requestFields: ["Signature": "sig1=:AAAA:"]))
    #expect(try await wire.client.send(request.verified(by: key, covering: components)).text == "x")
    respond(try await signed("x", covering: components, requestFields: ["Signature": "sig1=:AAAB:"]))
    await expectRefused(request.verified(by: key, covering: components), .invalidSignature)
    #expect(server.count("/a") == 2)
  }

  @Test func `a verified response is shared only with requests that require the same`() async throws {
    respond(try await signed("x"))
    let key = try key.publicKey.verificationKey()
    let other = try PrivateKey(pem: RFCKeys.p256Private, keyID: "other").publicKey.verificationKey()
    let plain = Request.get(url)
    let cached = try await wire.client.send(plain.verified(by: key).cached(as: "x"))
    #expect(cached.cachedAt == nil)
    #expect(try await wire.client.send(plain.verified(by: key).cached(as: "x")).cachedAt != nil)
    for request in [
      plain, plain.verified(by: key, covering: [.status]), plain.verified(by: key, maxAge: .seconds(60)),
    ] {
      #expect(try await wire.client.send(request.cached(as: "x")).cachedAt == nil)
    }
    await #expect(throws: RequestError.self) {
      try await wire.client.send(plain.verified(by: other).cached(as: "x"))
    }
  }
}
