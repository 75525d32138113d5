import ErrandCore
import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

/// A flipped bit anywhere in the covered parts is refused, with each of the six algorithms.
@Suite(.computesLong) struct SignatureTamperingTests {
  private static let components: [MessageComponent] = [
    .method, .targetURI, .contentDigest, "content-type", .field("x-list").structured,
    .field("x-lines").wrapped,
    .field("x-dictionary").member("a"), .queryParameter("Pet"),
  ]

  private static let types: [String: StructuredFieldType] = ["x-list": .list]

  private static let message: SignableMessage = {
    var message = RFCMessages.request
    message.fields.append("X-List", "a;b=1,  (c d)")
    message.fields.append("X-Lines", "one, two")
    message.fields.append("X-Lines", "three")
    message.fields.append("X-Dictionary", "a=(1 2);x, b=2")
    return message
  }()

  enum Algorithm: CaseIterable, Sendable {
    case ed25519, p256, p384, rsaPSS, rsa, hmac

    func keys() async throws -> (any SigningKey, any VerificationKey) {
      switch self {
      case .hmac:
        let key = try SharedKey(RFCKeys.shared, keyID: "k")
        return (key, key)
      case .ed25519: return try pair(RFCKeys.ed25519Private, .ed25519)
      case .p256: return try pair(RFCKeys.p256Private, .ecdsaP256SHA256)
      case .p384: return try pair(try await OpenSSLFiles().key(.p384), .ecdsaP384SHA384)
      case .rsaPSS: return try pair(RFCKeys.rsaPSSPrivate, .rsaPSSSHA512)
      case .rsa: return try pair(RFCKeys.rsaPrivate, .rsaV15SHA256)
      }
    }

    private func pair(
      _ pem: String, _ algorithm: SignatureAlgorithm
    ) throws -> (any SigningKey, any VerificationKey) {
      let key = try PrivateKey(pem: pem, keyID: "k")
      return (try key.signingKey(for: algorithm), try key.publicKey.verificationKey(for: algorithm))
    }
  }

  private func verifier(_ key: any VerificationKey) -> MessageVerifier {
    var verifier = MessageVerifier(keys: [key], requiring: [.method])
    verifier.structuredFields = Self.types
    return verifier
  }

  @Test(arguments: Algorithm.allCases)
  func `a flipped bit in the covered parts is refused`(algorithm: Algorithm) async throws {
    let (key, verificationKey) = try await algorithm.keys()
    let verifier = verifier(verificationKey)
    let signer = try MessageSigner(
      key, covering: Self.components, tag: "t", sendsAlgorithm: true, structuredFields: Self.types)
    var signed = Self.message
    let signature = try await signer.signature(of: signed, at: RFCMessages.date)
    try signature.add(to: &signed.fields)
    try await verifier.verify(signed, content: RFCMessages.requestContent, now: RFCMessages.date)
    let base = try signed.signatureBase(for: signature.parameters, structuredFields: Self.types)

    var (refused, same) = (0, 0)
    for field in signed.fields where field.name != "Signature" {
      // All bits with the fastest algorithm, and some with each of the others, because the base is the same.
      let step = algorithm == .hmac ? 1 : 29
      for bit in stride(from: 0, to: field.value.utf8.count * 8, by: step) {
        let bytes = Data(field.value.utf8).flipping(bit)
        guard let value = String(data: bytes, encoding: .utf8) else { continue }
        let others = signed.fields.map { $0.name == field.name && $0.value == field.value ? value : $0.value }
        var message = signed
        message.fields = [:]
        for (original, value) in zip(signed.fields, others) { message.fields.append(original.name, value) }
        // A change of the host's case, or of ignored spaces, does not change the message.
        let parameters = (try? MessageSignature.all(in: message.fields))?.first?.parameters
        let isSame =
          (try? message.signatureBase(for: parameters ?? signature.parameters, structuredFields: Self.types))
          == base
          && (field.name != "Signature-Input" || parameters?.value == signature.parameters.value)
        if isSame {
          same += 1
          #expect(
            ["Host", "Date", "Content-Length", "X-List", "X-Dictionary"].contains(field.name), "\(field.name)"
          )
          continue
        }
        refused += 1
        let code = await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) }
        #expect(code != nil, "bit \(bit) of \(field.name)")
      }
    }
    #expect(refused > (algorithm == .hmac ? 2500 : 80) && same < refused / 2, "\(refused) \(same)")
  }

  @Test(arguments: Algorithm.allCases)
  func `a flipped bit in the signature is refused, and so is another length`(algorithm: Algorithm)
    async throws
  {
    let (key, verificationKey) = try await algorithm.keys()
    let verifier = verifier(verificationKey)
    let signer = try MessageSigner(key, covering: [.method])
    let signature = try await signer.signature(of: Self.message, at: RFCMessages.date)
    func code(_ bytes: Data) async -> SigningError.Code? {
      await codeOfRefusal {
        var message = Self.message
        try MessageSignature(label: "a", parameters: signature.parameters, bytes: bytes).add(
          to: &message.fields)
        try await verifier.verify(message, now: RFCMessages.date)
      }
    }
    #expect(await code(signature.bytes) == nil)
    for bit in stride(from: 0, to: signature.bytes.count * 8, by: algorithm == .hmac ? 1 : 7) {
      #expect(await code(signature.bytes.flipping(bit)) == .invalidSignature)
    }
    for bytes in [
      Data(), signature.bytes.dropLast(), signature.bytes + [0], signature.bytes + signature.bytes,
    ] {
      #expect(await code(bytes) == .invalidSignature)
    }
  }

  @Test func `every bit of the method, the URL and the status is covered`() async throws {
    let key = try SharedKey(RFCKeys.shared)
    let verifier = MessageVerifier(keys: [key], requiring: [])
    let text = "https://example.com/a/b?c=d"
    let fields = try await signed(.get, text, [.method, .targetURI], key)
    for bit in 0..<text.utf8.count * 8 {
      guard let other = String(data: Data(text.utf8).flipping(bit), encoding: .utf8),
        let url = URL(string: other)
      else {
        continue
      }
      let isSame = other.lowercased() == text.lowercased() && other.dropFirst(19) == text.dropFirst(19)
      let code = await codeOfRefusal {
        try await verifier.verify(SignableMessage(.get, url, fields: fields), now: RFCMessages.date)
      }
      #expect((code == nil) == isSame, "\(other)")
    }
    for method in ["get", "GET ", "GEU", "POST", ""] as [HTTPMethod] {
      let message = SignableMessage(method, RFCMessages.url(text), fields: fields)
      #expect(await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) } != nil)
    }
    let status = try MessageSigner(key, covering: [.status])
    var response = SignableMessage(200)
    try await status.signature(of: response, at: RFCMessages.date).add(to: &response.fields)
    for code in 100...999 {
      let message = SignableMessage(HTTPStatus(code), fields: response.fields)
      #expect(
        (await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) } == nil)
          == (code == 200))
    }
  }

  private func signed(
    _ method: HTTPMethod, _ url: String, _ components: [MessageComponent], _ key: some SigningKey
  ) async throws -> HTTPFields {
    var message = RFCMessages.message(method, url)
    try await MessageSigner(key, covering: components).signature(of: message, at: RFCMessages.date).add(
      to: &message.fields)
    return message.fields
  }

  @Test func `omitted, added or moved components and parameters are refused`() async throws {
    let key = try SharedKey(RFCKeys.shared, keyID: "k")
    let verifier = MessageVerifier(keys: [key], requiring: [])
    var message = RFCMessages.request
    try await MessageSigner(key, covering: [.method, .path, "date"], nonce: .value("n"), tag: "t").signature(
      of: message, at: RFCMessages.date
    ).add(to: &message.fields)
    let input = try #require(message.fields["Signature-Input"])
    #expect(await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) } == nil)
    let changes = [
      (#""@method" "#, ""), (#" "date""#, ""), (#""@method" "@path""#, #""@path" "@method""#),
      (#""date""#, #""date" "@query""#),
      (#";tag="t""#, ""), (#";nonce="n""#, ""), (#";nonce="n";tag="t""#, #";tag="t";nonce="n""#),
      (#";keyid="k""#, ""),
      ("created=1618884473", "created=1618884472"), ("expires=1618884773", "expires=1618884774"),
      (";tag", ";x=1;tag"),
      (#""date""#, #""date";bs"#), (";created=1618884473", ""),
    ]
    for (old, new) in changes {
      let changed = input.replacing(old, with: new)
      #expect(changed != input)
      var other = message
      other.fields["Signature-Input"] = changed
      let copy = other
      #expect(
        await codeOfRefusal { try await verifier.verify(copy, now: RFCMessages.date) } == .invalidSignature,
        "\(changed)")
    }
  }
}
