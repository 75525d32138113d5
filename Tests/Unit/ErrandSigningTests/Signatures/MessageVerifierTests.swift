import ErrandCore
import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

/// The verifier: one test for each kind of refusal.
@Suite struct MessageVerifierTests {
  private static let now = RFCMessages.date
  private let key: SharedKey
  private let verifier: MessageVerifier

  init() throws {
    key = try SharedKey(RFCKeys.shared, keyID: "k")
    verifier = MessageVerifier(keys: [key], requiring: [.method])
  }

  /// Returns the example's request, signed with these parameters in this form.
  private func signed(
    _ input: String = #"("@method");created=1618884473;keyid="k""#, _ key: (any SigningKey)? = nil,
    label: String = "sig1",
    message: SignableMessage = RFCMessages.request
  ) async throws -> SignableMessage {
    let parameters = try SignatureParameters(StructuredInnerList(parsing: input))
    let base = try message.signatureBase(for: parameters)
    let bytes = try await (key ?? self.key).sign(base)
    var message = message
    try MessageSignature(label: label, parameters: parameters, bytes: bytes).add(to: &message.fields)
    return message
  }

  private func refusal(
    _ verifier: MessageVerifier, _ input: String, after seconds: Double = 0, content: Data? = nil
  ) async throws -> SigningError.Code? {
    let message = try await signed(input)
    return await codeOfRefusal {
      try await verifier.verify(message, content: content, now: Self.now.addingTimeInterval(seconds))
    }
  }

  @Test func `a message without a signature is refused`() async {
    #expect(await codeOfRefusal { try await verifier.verify(RFCMessages.request) } == .noSignature)
  }

  @Test func `a required component that is not covered is refused`() async throws {
    #expect(try await refusal(verifier, #"("@method")"#) == nil)
    for input in ["()", #"("@path" "@query")"#, #"("@method" "@path")"#] {
      let strict = MessageVerifier(keys: [key], requiring: [.method, .contentDigest])
      #expect(try await refusal(strict, input) == .missingComponent)
    }
    let ofRequest = MessageVerifier(keys: [key], requiring: [.method.ofRequest])
    #expect(try await refusal(ofRequest, #"("@method")"#) == .missingComponent)
  }

  @Test(
    arguments: [
      (10, 0, nil), (30, 0, nil), (31, 0, .notYetValid), (5, 5, nil), (6, 5, .notYetValid), (-99_999, 0, nil),
    ] as [(Int, Int, SigningError.Code?)])
  func `a signature with a time in the future is refused`(ahead: Int, skew: Int, code: SigningError.Code?)
    async throws
  {
    var verifier = verifier
    if skew > 0 { verifier.clockSkew = .seconds(skew) }
    #expect(try await refusal(verifier, #"("@method");created=\#(1_618_884_473 + ahead)"#) == code)
  }

  @Test func `a signature that has expired is refused`() async throws {
    let input = #"("@method");expires=1618884475"#
    #expect(try await refusal(verifier, input, after: 1.9) == nil)
    #expect(try await refusal(verifier, input, after: 2) == .expired)
    #expect(try await refusal(verifier, input, after: 3) == .expired)
    #expect(try await refusal(verifier, #"("@method");created=1618884473;expires=-5"#) == .expired)
  }

  @Test func `a signature that is too old is refused, if an age limit is set`() async throws {
    let input = #"("@method");created=1618884473"#
    #expect(try await refusal(verifier, input, after: 1e9) == nil)
    var strict = verifier
    strict.maximumAge = .seconds(60)
    #expect(try await refusal(strict, input, after: 60) == nil)
    #expect(try await refusal(strict, input, after: 61) == .expired)
    #expect(try await refusal(strict, #"("@method");expires=1618884999"#) == .missingParameter)
  }

  @Test func `numbers without limits are refused or accepted, and never crash`() async throws {
    var strict = verifier
    (strict.maximumAge, strict.nonces) = (.seconds(Int64.max), MemoryNonceStore())
    for number in ["999999999999999", "-999999999999999", "0"] {
      _ = try await refusal(strict, #"("@method");created=\#(number);expires=\#(number);nonce="a""#)
      _ = try await refusal(verifier, #"("@method");created=\#(number);expires=\#(number)"#)
    }
  }

  @Test func `an unknown algorithm is refused`() async throws {
    for name in ["hmac-sha512", "", "HMAC-SHA256", "none"] {
      #expect(try await refusal(verifier, #"("@method");alg="\#(name)""#) == .unknownAlgorithm)
    }
    var strict = verifier
    strict.algorithms = [.ed25519]
    #expect(try await refusal(strict, #"("@method")"#) == .unknownAlgorithm)
    strict.algorithms = []
    #expect(try await refusal(strict, #"("@method");alg="hmac-sha256""#) == .unknownAlgorithm)
  }

  @Test func `an algorithm that does not match the key is refused`() async throws {
    #expect(try await refusal(verifier, #"("@method");alg="hmac-sha256""#) == nil)
    for name in ["ed25519", "rsa-pss-sha512", "ecdsa-p256-sha256"] {
      #expect(try await refusal(verifier, #"("@method");alg="\#(name)""#) == .algorithmMismatch)
    }
  }

  /// Key confusion: a public key is not secret, so anyone could sign with its bytes.
  @Test func `a signature with a shared key is not accepted for a public key`() async throws {
    let publicKey = try PublicKey(pem: RFCKeys.ed25519Public, keyID: "k").verificationKey()
    let forger = try SharedKey(Data(RFCKeys.ed25519Public.utf8), keyID: "k")
    let verifier = MessageVerifier(keys: [publicKey], requiring: [.method])
    for (alg, code) in [
      ("", SigningError.Code.invalidSignature), (#";alg="hmac-sha256""#, .algorithmMismatch),
    ] {
      let message = try await signed(#"("@method");keyid="k"\#(alg)"#, forger)
      #expect(await codeOfRefusal { try await verifier.verify(message, now: Self.now) } == code)
    }
  }

  @Test func `a signature with a missing key is refused`() async throws {
    #expect(try await refusal(verifier, #"("@method");keyid="other""#) == .unknownKey)
    let none = MessageVerifier(requiring: []) { _ in nil }
    #expect(try await refusal(none, #"("@method");keyid="k""#) == .unknownKey)
    let other = try SharedKey(Data([1]), keyID: "l")
    let several = MessageVerifier(keys: [other, key], requiring: [])
    #expect(try await refusal(several, #"("@method")"#) == .unknownKey)
    #expect(try await refusal(several, #"("@method");keyid="k""#) == nil)
    #expect(try await refusal(several, #"("@method");keyid="l""#) == .invalidSignature)
    // A key without a name is used for all others.
    let nameless = MessageVerifier(keys: [other, try SharedKey(RFCKeys.shared)], requiring: [])
    #expect(try await refusal(nameless, #"("@method");keyid="x""#) == nil)
    #expect(try await refusal(nameless, #"("@method");keyid="l""#) == .invalidSignature)
  }

  @Test func `the algorithm selects one of two keys with the same name`() async throws {
    let pair = try PrivateKey(pem: RFCKeys.rsaPrivate, keyID: "k")
    let keys = try [SignatureAlgorithm.rsaPSSSHA512, .rsaV15SHA256].map {
      try pair.publicKey.verificationKey(for: $0) as any VerificationKey
    }
    let verifier = MessageVerifier(keys: keys, requiring: [.method])
    let message = try await signed(
      #"("@method");keyid="k";alg="rsa-v1_5-sha256""#, pair.signingKey(for: .rsaV15SHA256))
    #expect(try await verifier.verify(message, now: Self.now).algorithm == .rsaV15SHA256)
  }

  @Test func `a replay is refused if there is a nonce store`() async throws {
    var verifier = verifier
    verifier.nonces = MemoryNonceStore()
    let input = #"("@method");created=1618884473;expires=1618884773;nonce="a";keyid="k""#
    #expect(try await refusal(verifier, input) == nil)
    #expect(try await refusal(verifier, input) == .replayed)
    #expect(try await refusal(verifier, input, after: 299) == .replayed)
    #expect(try await refusal(verifier, input, after: 300) == .expired)
    #expect(try await refusal(verifier, input.replacing("\"a\"", with: "\"b\"")) == nil)
    #expect(try await refusal(self.verifier, input) == nil)
  }

  @Test func `a nonce and an expiry are required where replays are refused`() async throws {
    var verifier = verifier
    verifier.nonces = MemoryNonceStore()
    #expect(try await refusal(verifier, #"("@method");expires=1618884773"#) == .missingParameter)
    #expect(try await refusal(verifier, #"("@method");nonce="a""#) == .missingParameter)
    verifier.maximumAge = .seconds(60)
    #expect(try await refusal(verifier, #"("@method");created=1618884473;nonce="a""#) == nil)
    #expect(try await refusal(verifier, #"("@method");created=1618884473;nonce="a""#, after: 60) == .replayed)
  }

  @Test func `a refused message uses up no nonce`() async throws {
    var verifier = verifier
    verifier.nonces = MemoryNonceStore()
    let input = #"("@method" "content-digest");expires=1618884773;nonce="a";keyid="k""#
    let message = try await signed(input)
    var changed = message
    changed.fields["Content-Digest"] = "sha-256=:AA==:"
    #expect(await codeOfRefusal { try await verifier.verify(changed, now: Self.now) } == .invalidSignature)
    await #expect(throws: SigningError.self) {
      try await verifier.verify(message, content: Data("other".utf8), now: Self.now)
    }
    try await verifier.verify(message, content: RFCMessages.requestContent, now: Self.now)
    #expect(await codeOfRefusal { try await verifier.verify(message, now: Self.now) } == .replayed)
  }

  @Test func `content is verified with the covered digest`() async throws {
    let input = #"("@method" "content-digest")"#
    let content = RFCMessages.requestContent
    #expect(try await refusal(verifier, input, content: content) == nil)
    #expect(try await refusal(verifier, #"("@method")"#, content: content) == .missingComponent)
    for wrong in [Data(), content.flipping(5), content.dropLast(), content + [0]] {
      await #expect(throws: SigningError.self) {
        try await verifier.verify(try await signed(input), content: wrong, now: Self.now)
      }
    }
    for covered in [#""content-digest";sf"#, #""content-digest";bs"#] {
      let code = try await refusal(
        MessageVerifier(keys: [key], requiring: []), "(\"@method\" \(covered))", content: content)
      #expect(code == nil, "\(covered)")
    }
    // A covered digest does not cover the others.
    #expect(
      try await refusal(verifier, #"("@method" "content-digest";key="sha-512")"#, content: content)
        == .missingComponent)
    // No content, and none is announced.
    let bare = try await signed(message: RFCMessages.message("GET", "https://example.com/"))
    try await verifier.verify(bare, content: Data(), now: Self.now)
  }

  @Test func `one signature is selected by its label or its tag`() async throws {
    var message = try await signed(#"("@method");tag="a""#, label: "one")
    message = try await signed(#"("@method");tag="b""#, label: "two", message: message)
    #expect(try await verifier.verify(message, now: Self.now).label == "one")
    #expect(try await verifier.verify(message, label: "two", now: Self.now).label == "two")
    var tagged = verifier
    tagged.tag = "b"
    #expect(try await tagged.verify(message, now: Self.now).label == "two")
    let (unchanged, strict) = (message, tagged)
    #expect(
      await codeOfRefusal { try await strict.verify(unchanged, label: "one", now: Self.now) } == .noSignature)
    #expect(
      await codeOfRefusal { try await verifier.verify(unchanged, label: "three", now: Self.now) }
        == .noSignature)
  }

  @Test func `a signature with an unknown key does not hide the one that counts`() async throws {
    var message = try await signed(
      #"("x-odd";of=1)"#.replacing(";of=1", with: ""),
      message: {
        var message = RFCMessages.request
        message.fields["X-Odd"] = "1"
        return message
      }())
    message.fields["Signature-Input"] = #"odd=("@strange");alg=1, old=("@method");expires=1, sig1=()"#
    message.fields["Signature"] = "odd=:AA==:, old=:AA==:, sig1=:AA==:"
    message = try await signed(#"("@method")"#, label: "good", message: message)
    #expect(try await verifier.verify(message, now: Self.now).label == "good")
    message.fields["X-Odd"] = nil
    let others = message
    #expect(
      await codeOfRefusal { try await verifier.verify(others, label: "odd", now: Self.now) }
        == .invalidComponent)
    message.fields["Signature"] = message.fields["Signature"]?.replacing("good=:", with: "good=:AAAA")
    let changed = message
    // The reason is that of the first one.
    #expect(
      await codeOfRefusal { try await verifier.verify(changed, now: Self.now) } == .invalidComponent)
  }

  @Test func `a response is bound to its request`() async throws {
    let response = SignableMessage(200, fields: ["A": "1"], answering: RFCMessages.request)
    let message = try await signed(#"("@status" "@method";req "@path";req "a")"#, message: response)
    let verifier = MessageVerifier(keys: [key], requiring: [.status, .method.ofRequest])
    try await verifier.verify(message, now: Self.now)
    let others = [
      SignableMessage(201, fields: message.fields, answering: RFCMessages.request),
      SignableMessage(
        200, fields: message.fields, answering: RFCMessages.message("GET", "https://example.com/foo")),
      SignableMessage(
        200, fields: message.fields, answering: RFCMessages.message("POST", "https://example.com/bar")),
    ]
    for other in others {
      #expect(
        await codeOfRefusal { try await verifier.verify(other, now: Self.now) } == .invalidSignature)
    }
    let alone = SignableMessage(200, fields: message.fields)
    #expect(
      await codeOfRefusal { try await verifier.verify(alone, now: Self.now) } == .componentUnavailable)
  }

  @Test func `an error from the lookup or from the key is passed on`() async throws {
    struct Broken: VerificationKey {
      let algorithm = SignatureAlgorithm.hmacSHA256
      func isValid(_ signature: Data, for data: Data) throws -> Bool { throw CancellationError() }
    }
    let message = try await signed()
    for verifier in [
      MessageVerifier(requiring: []) { _ in throw CancellationError() },
      MessageVerifier(keys: [Broken()], requiring: []),
    ] {
      await #expect(throws: CancellationError.self) { try await verifier.verify(message, now: Self.now) }
    }
  }
}
