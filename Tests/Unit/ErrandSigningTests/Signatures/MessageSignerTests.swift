import ErrandCore
import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

/// The signer of requests.
@Suite struct MessageSignerTests {
  private static let url = RFCMessages.url("https://example.com/orders?id=7")

  private func key() throws -> SharedKey { try SharedKey(RFCKeys.shared, keyID: "k") }

  private func request(
    _ body: RequestBody = .bytes(RFCMessages.requestContent), _ fields: HTTPFields = [:]
  ) -> OutgoingRequest {
    OutgoingRequest(.post, Self.url, fields: fields, body: body, date: RFCMessages.date)
  }

  private func verify(
    _ request: OutgoingRequest, _ verifier: MessageVerifier, content: Data? = nil
  ) async throws -> VerifiedSignature {
    let message = SignableMessage(request.method, request.url, fields: request.fields)
    return try await verifier.verify(message, content: content, now: request.date)
  }

  @Test func `a signer covers the method, the URL and the content by default`() async throws {
    var request = request()
    try await MessageSigner(try key()).sign(&request)
    let verifier = MessageVerifier(keys: [try key()], requiring: [.method, .targetURI, .contentDigest])
    let verified = try await verify(request, verifier, content: RFCMessages.requestContent)
    #expect(verified.label == "sig1" && verified.algorithm == .hmacSHA256 && verified.covers(.targetURI))
    #expect(!verified.covers(.authority))
    #expect(
      request.fields["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
    let parameters = verified.parameters
    #expect(parameters.created == RFCMessages.date && parameters.keyID == "k" && parameters.algorithm == nil)
    #expect(parameters.expires == RFCMessages.date.addingTimeInterval(300) && parameters.tag == nil)
    #expect(parameters.nonce?.utf8.count == 22)
    #expect(try MessageSigner(try key()).identity == "k")
  }

  @Test func `each attempt has a new time and nonce`() async throws {
    let signer = try MessageSigner(try key())
    var nonces: Set<String> = []
    for second in 0..<50 {
      var request = OutgoingRequest(
        .get, Self.url, date: RFCMessages.date.addingTimeInterval(Double(second) + 0.9))
      try await signer.sign(&request)
      let parameters = try #require(try MessageSignature.all(in: request.fields).first).parameters
      #expect(parameters.created == RFCMessages.date.addingTimeInterval(Double(second)))
      nonces.insert(try #require(parameters.nonce))
    }
    #expect(nonces.count == 50)
  }

  @Test func `a request that is signed again has one signature with the label`() async throws {
    var request = request(.none, ["Signature-Input": "other=()", "Signature": "other=:AA==:"])
    let signer = try MessageSigner(try key(), covering: [.method])
    try await signer.sign(&request)
    try await signer.sign(&request)
    #expect(try MessageSignature.all(in: request.fields).map(\.label) == ["other", "sig1"])
  }

  @Test func `the signature has the configured parameters`() async throws {
    let signer = try MessageSigner(
      try key(), covering: [], label: "a", lifetime: .milliseconds(1500), nonce: .value("n\"1"), tag: "t",
      sendsAlgorithm: true)
    var request = request()
    try await signer.sign(&request)
    #expect(
      request.fields["Signature-Input"]
        == #"a=();created=1618884473;keyid="k";alg="hmac-sha256";expires=1618884474;nonce="n\"1";tag="t""#)
    #expect(!request.fields.contains("Content-Digest"))
  }

  @Test func `the text of a signer is that of its parameters`() throws {
    var random = Seeded(9)
    let components: [MessageComponent] = ["a;req", .queryParameter("é\""), .field("x").member("k"), .method]
    for _ in 0..<200 {
      func text() -> String? {
        random.number(0...2) == 0
          ? nil : String(["a", "\"", "\\", " ", "~"].randomElement(using: &random) ?? "b")
      }
      let (keyID, tag, nonce) = (text(), text(), text())
      let algorithm: SignatureAlgorithm? = random.number(0...1) == 0 ? nil : .ed25519
      let created = Int64(random.number(-9...9))
      let expires: Int64? = random.number(0...1) == 0 ? nil : 77
      let value = try SignatureParametersText(
        components, keyID: keyID, algorithm: algorithm, nonce: nonce.map { .value($0) } ?? .none, tag: tag
      ).value(created: created, expires: expires)
      let parameters = try SignatureParameters(
        components, created: Date(timeIntervalSince1970: Double(created)), keyID: keyID, algorithm: algorithm,
        expires: expires.map { Date(timeIntervalSince1970: Double($0)) }, nonce: nonce, tag: tag)
      #expect(String(decoding: value, as: UTF8.self) == parameters.value)
      #expect(try SignatureParameters(StructuredInnerList(parsing: parameters.value)) == parameters)
    }
  }

  @Test func `an existing digest of the request is kept`() async throws {
    var request = request(.text("other"), ["content-digest": RFCMessages.requestDigest])
    try await MessageSigner(try key()).sign(&request)
    #expect(request.fields.values(of: "Content-Digest") == [RFCMessages.requestDigest])
    let verifier = MessageVerifier(keys: [try key()], requiring: [.contentDigest])
    _ = try await verify(request, verifier, content: RFCMessages.requestContent)
    await #expect(throws: SigningError.self) {
      _ = try await verify(request, verifier, content: Data("other".utf8))
    }
  }

  @Test func `the signer adds a digest for any body that can be read again`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "content")
    let content = Data.seeded(300_000)
    try content.write(to: file)
    let signer = try MessageSigner(
      try key(), covering: ["content-digest", "content-length"], digest: .sha512)
    let verifier = MessageVerifier(keys: [try key()], requiring: [.contentDigest])
    for body in [RequestBody.file(file), .bytes(content)] {
      var request = request(body)
      try await signer.sign(&request)
      #expect(!request.fields.contains("Content-Length"))
      request.fields["Content-Length"] = "300000"
      _ = try await verify(request, verifier, content: content)
      #expect(request.fields["Content-Digest"]?.hasPrefix("sha-512=:") == true)
      request.fields["Content-Length"] = "300001"
      #expect(await codeOfRefusal { _ = try await verify(request, verifier) } == .invalidSignature)
    }
    var empty = request(.none)
    try await MessageSigner(try key()).sign(&empty)
    _ = try await verify(empty, verifier, content: Data())
  }

  @Test func `a body that cannot be read again is refused with an error that says so`() async throws {
    let chunks = AsyncStream<Data> { $0.finish() }
    var request = request(.stream(chunks))
    let error = try await #require(throws: RequestError.self) {
      try await MessageSigner(try key()).sign(&request)
    }
    #expect(error.code == .bodyNotReplayable)
    #expect(request.fields.isEmpty)
    try await MessageSigner(try key(), covering: [.method]).sign(&request)
    #expect(request.fields.contains("Signature"))
  }

  @Test func `a component that the request lacks is refused, and nothing is added`() async throws {
    for component in ["date", "content-length", "x-a;bs", "@status", "@method;req"] as [MessageComponent] {
      var request = request(.none)
      let signer = try MessageSigner(try key(), covering: [component])
      #expect(await codeOfRefusal { try await signer.sign(&request) } == .componentUnavailable)
      #expect(request.fields.isEmpty)
    }
  }

  @Test(arguments: [
    "signature", "signature-input", #"signature;key="sig1""#, #"signature-input;key="sig1""#, "signature;bs",
  ])
  func `a signature does not cover itself`(component: MessageComponent) async throws {
    #expect(
      await codeOfRefusal { _ = try MessageSigner(try self.key(), covering: [component]) }
        == .invalidComponent)
    #expect(
      await codeOfRefusal {
        _ = try MessageSigner(try self.key(), covering: [.field("signature").member("sig2")])
      } == nil)
    #expect(
      await codeOfRefusal { _ = try MessageSigner(try self.key(), covering: [component.ofRequest]) } == nil)
  }

  @Test func `a signature can cover another one`() async throws {
    var message = RFCMessages.request
    try await MessageSigner(try key(), covering: [.method]).signature(of: message, at: RFCMessages.date).add(
      to: &message.fields)
    let other = try SharedKey(Data([7]), keyID: "other")
    let outer = try MessageSigner(
      other, covering: [.field("signature").member("sig1"), .field("signature-input").member("sig1")],
      label: "outer")
    try await outer.signature(of: message, at: RFCMessages.date).add(to: &message.fields)
    let verifier = MessageVerifier(keys: [try key(), other], requiring: [.field("signature").member("sig1")])
    #expect(try await verifier.verify(message, now: RFCMessages.date).label == "outer")
  }

  @Test func `neither a signer nor a message shows its secrets`() async throws {
    let signer = try MessageSigner(try SharedKey(Data("top-secret".utf8), keyID: "k"), tag: "t")
    var request = request(.none, ["Authorization": "Bearer top-secret"])
    try await signer.sign(&request)
    let message = SignableMessage(
      .get, RFCMessages.url("https://example.com/?token=top-secret"), fields: request.fields)
    for value in [signer, message, SignableMessage(200, answering: message)] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("top-secret") && !text.contains("116, 111, 112"), "\(text)")
      }
    }
    let error = await #expect(throws: SigningError.self) {
      try await MessageVerifier(keys: [try SharedKey(Data("other-secret".utf8))], requiring: [.method])
        .verify(
          message, now: RFCMessages.date)
    }
    #expect(error.map { !"\($0)".contains("secret") } == true)
  }

  @Test func `a signature that the key cannot create fails with the key's error`() async throws {
    struct Broken: SigningKey {
      let algorithm = SignatureAlgorithm.ed25519
      func sign(_ data: Data) throws -> Data { throw CancellationError() }
    }
    var request = request()
    let signer = try MessageSigner(Broken(), covering: [.method])
    await #expect(throws: CancellationError.self) { try await signer.sign(&request) }
    #expect(request.fields.isEmpty)
  }
}

extension StructuredInnerList {
  init(parsing text: String) throws {
    self = try StructuredDictionary(parsing: "a=\(text)")["a"]?.innerList ?? []
  }
}
