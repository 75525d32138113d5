import ErrandCore
import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

/// Compares with `http-message-signatures`, an independent implementation in Python: each verifies the
/// other's signatures.
@Suite(
  .enabled(
    "SKIPPED: http-message-signatures is not installed (pip install http-message-signatures==3.0.0; ERRAND_PYTHON names the interpreter)"
  ) { await Python.has("http_message_signatures") }, .computesLong)
struct SignatureConformityTests {
  private struct Case: Codable {
    var algorithm: String
    var privateKey: Data
    var publicKey: Data
    var method: String
    var url: String
    var fields: [[String]]
    /// Nil for a request.
    var status: Int?
    var responseFields: [[String]]
    var components: [String]
    var label: String
    var tag: String?
    var nonce: String?
  }

  private struct Answer: Codable {
    /// The reason why our signature is refused; nil if it is valid.
    var refusal: String?
    var input: String
    var signature: String
  }

  private static let program = #"""
    import base64, json, sys
    from http.client import HTTPMessage
    from types import SimpleNamespace
    from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, MappingKeyResolver, algorithms

    CLASSES = {"ed25519": "ED25519", "ecdsa-p256-sha256": "ECDSA_P256_SHA256", "ecdsa-p384-sha384": "ECDSA_P384_SHA384",
               "rsa-pss-sha512": "RSA_PSS_SHA512", "rsa-v1_5-sha256": "RSA_V1_5_SHA256", "hmac-sha256": "HMAC_SHA256"}

    def headers(fields):
        message = HTTPMessage()
        for name, value in fields:
            message[name] = value
        return message

    answers = []
    for case in json.load(sys.stdin):
        request = SimpleNamespace(method=case["method"], url=case["url"], headers=headers(case["fields"]))
        message = request
        if case.get("status"):
            message = SimpleNamespace(status_code=case["status"], request=request, headers=headers(case["responseFields"]))
        keys = MappingKeyResolver(public_keys={"k": base64.b64decode(case["publicKey"])},
                                  private_keys={"k": base64.b64decode(case["privateKey"])})
        algorithm = getattr(algorithms, CLASSES[case["algorithm"]])
        refusal = None
        try:
            HTTPMessageVerifier(signature_algorithm=algorithm, key_resolver=keys).verify(message, expect_tag=case.get("tag"))
        except Exception as error:
            refusal = repr(error)
        for name in ("Signature", "Signature-Input"):
            del message.headers[name]
        HTTPMessageSigner(signature_algorithm=algorithm, key_resolver=keys).sign(
            message, key_id="k", label=case["label"], tag=case.get("tag"), nonce=case.get("nonce"),
            covered_component_ids=case["components"], use_existing_digest=True)
        answers.append({"refusal": refusal, "input": message.headers["Signature-Input"],
                        "signature": message.headers["Signature"]})
    json.dump(answers, sys.stdout)
    """#

  private struct Keys {
    let signing: any SigningKey
    let verification: any VerificationKey
    let privateBytes: Data
    let publicBytes: Data
  }

  private func keys() async throws -> [Keys] {
    let files = try OpenSSLFiles()
    let kinds: [(OpenSSLFiles.Kind, SignatureAlgorithm)] = [
      (.ed25519, .ed25519), (.p256, .ecdsaP256SHA256), (.p384, .ecdsaP384SHA384), (.rsa, .rsaPSSSHA512),
      (.rsa, .rsaV15SHA256),
    ]
    var all: [Keys] = []
    for (kind, algorithm) in kinds {
      let pem = try await files.key(kind)
      let publicPEM = try await files.text("pkey", "-pubout", input: pem)
      let key = try PrivateKey(pem: pem, keyID: "k")
      all.append(
        Keys(
          signing: try key.signingKey(for: algorithm),
          verification: try PublicKey(pem: publicPEM, keyID: "k").verificationKey(for: algorithm),
          privateBytes: Data(pem.utf8), publicBytes: Data(publicPEM.utf8)))
    }
    let shared = try SharedKey(RFCKeys.shared, keyID: "k")
    all.append(
      Keys(signing: shared, verification: shared, privateBytes: RFCKeys.shared, publicBytes: RFCKeys.shared))
    return all
  }

  @Test func `each implementation verifies 300 messages that the other has signed`() async throws {
    let keys = try await keys()
    var random = Seeded(9421)
    let now = Date()
    var (cases, messages) = ([Case](), [SignableMessage]())
    for index in 0..<300 {
      let key = keys[index % keys.count]
      var example = Self.example(&random, key.signing.algorithm)
      (example.privateKey, example.publicKey) = (key.privateBytes, key.publicBytes)
      var message = try Self.message(example)
      messages.append(message)
      let signer = try MessageSigner(
        key.signing, covering: example.components.map { try MessageComponent(parsing: $0) },
        label: example.label,
        nonce: example.nonce.map { .value($0) } ?? .random, tag: example.tag, sendsAlgorithm: index % 2 == 0)
      try await signer.signature(of: message, at: now).add(to: &message.fields)
      let fields = message.fields.map { [$0.name, $0.value] }
      if example.status == nil { example.fields = fields } else { example.responseFields = fields }
      cases.append(example)
    }
    let output = try await Python.run(Self.program, input: JSONEncoder().encode(cases))
    let answers = try JSONDecoder().decode([Answer].self, from: output)
    try #require(answers.count == cases.count)
    for (index, answer) in answers.enumerated() {
      #expect(answer.refusal == nil, "\(cases[index].components) \(cases[index].url)")
      var message = messages[index]
      message.fields.append("Signature-Input", answer.input)
      message.fields.append("Signature", answer.signature)
      var verifier = MessageVerifier(
        keys: [keys[index % keys.count].verification],
        requiring: try cases[index].components.map { try MessageComponent(parsing: $0) })
      (verifier.tag, verifier.maximumAge) = (cases[index].tag, .seconds(3600))
      do {
        let verified = try await verifier.verify(message, now: Date())
        #expect(verified.label == cases[index].label && verified.parameters.nonce == cases[index].nonce)
      } catch {
        Issue.record("\(error): \(answer.input) \(cases[index].url)")
      }
    }
  }

  private static func message(_ example: Case) throws -> SignableMessage {
    func fields(_ lines: [[String]]) -> HTTPFields {
      var fields = HTTPFields()
      for line in lines { fields.append(line[0], line[1]) }
      return fields
    }
    let url = try #require(URL(string: example.url))
    let request = SignableMessage(HTTPMethod(example.method), url, fields: fields(example.fields))
    return example.status.map {
      SignableMessage(HTTPStatus($0), fields: fields(example.responseFields), answering: request)
    } ?? request
  }

  private static func example(_ random: inout Seeded, _ algorithm: SignatureAlgorithm) -> Case {
    let query = ["", "?", "?a=1", "?a=b%20c&b=%C3%A9&c", "?b=x+y&a=~*"][random.number(0...4)]
    let url =
      ["https://example.com", "https://Example.com:443/a/b%2f", "http://[2001:DB8::1]:8080/"][
        random.number(0...2)] + query
    let fields = [
      ["Date", "Tue, 20 Apr 2021 02:07:55 GMT"], ["Content-Digest", "  \(RFCMessages.requestDigest) "],
      ["X-Many", "one, two"], ["X-Empty", ""], ["x-many", "\tthree "],
      ["X-Dictionary", "a=1,  b=(x  y);z, c;d=?0"],
    ]
    let some = [
      "\"date\"", "\"content-digest\"", "\"content-digest\";sf", "\"x-many\"", "\"x-many\";bs", "\"x-empty\"",
      #""x-dictionary";key="b""#, #""x-dictionary";key="c""#, #""content-digest";key="sha-512""#,
    ]
    // The peer uses the URL as it is written for @target-uri, and a server does not see it in that form.
    let isPlain = url == "https://example.com?a=1" || !url.contains(":443") && !url.contains("DB8")
    var ofRequest = [
      "\"@method\"", "\"@authority\"", "\"@scheme\"", "\"@path\"", "\"@query\"", "\"@request-target\"",
    ]
    if isPlain { ofRequest.append("\"@target-uri\"") }
    if query.contains("a=") { ofRequest.append(#""@query-param";name="a""#) }
    if query.contains("b=") { ofRequest.append(#""@query-param";name="b""#) }
    let isResponse = random.number(0...2) == 0
    let all = isResponse ? ["\"@status\""] + some + (ofRequest + some).map { "\($0);req" } : ofRequest + some
    let components = all.shuffled(using: &random).prefix(random.number(0...all.count))
    return Case(
      algorithm: algorithm.rawValue, privateKey: Data(), publicKey: Data(),
      method: ["GET", "POST", "PUT"][random.number(0...2)], url: url, fields: fields.shuffled(using: &random),
      status: isResponse ? random.number(200...599) : nil,
      responseFields: isResponse ? fields.shuffled(using: &random) : [], components: Array(components),
      label: ["sig1", "a-b", "*x"][random.number(0...2)], tag: random.number(0...1) == 0 ? nil : "t\"g",
      nonce: random.number(0...1) == 0 ? nil : "n\\1")
  }
}
