import ErrandCore
import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

/// `Signature-Input` and `Signature`: RFC 9421, section 4.
@Suite struct SignatureFieldTests {
  private func signature(_ input: String, _ signature: String = "sig1=:AAE=:") throws -> MessageSignature {
    try #require(try MessageSignature.all(in: ["Signature-Input": input, "Signature": signature]).first)
  }

  @Test func `the parameters are kept in their original form and order`() async throws {
    let input =
      #"("b";x-y=?0;key="a" "a");x=1;tag="t";created=5;keyid="k";y=:AA==:;alg="ed25519";expires=9;nonce="n""#
    #expect(await codeOfRefusal { _ = try self.signature("sig1=\(input)") } == .invalidComponent)
    let known = input.replacing(";x-y=?0", with: "")
    let parsed = try signature("sig1=\(known.replacing(" ", with: "  "))").parameters
    #expect(parsed.value == known)
    #expect(parsed.components.map(\.identifier) == [#""b";key="a""#, #""a""#])
    #expect(
      parsed.created == Date(timeIntervalSince1970: 5) && parsed.expires == Date(timeIntervalSince1970: 9))
    #expect((parsed.tag, parsed.keyID, parsed.algorithm, parsed.nonce) == ("t", "k", .ed25519, "n"))
    #expect(parsed.parameters.keys == ["x", "tag", "created", "keyid", "y", "alg", "expires", "nonce"])
  }

  @Test func `a signature without parameters has empty ones`() throws {
    let parsed = try signature("sig1=()").parameters
    #expect(parsed.components.isEmpty && parsed.parameters.isEmpty && parsed.value == "()")
    #expect(parsed.created == nil && parsed.expires == nil && parsed.nonce == nil && parsed.algorithm == nil)
    #expect(parsed.keyID == nil && parsed.tag == nil)
  }

  @Test(
    arguments: [
      ("sig1=(", "sig1=:AA==:"), ("sig1=()", "sig1=:A"), ("sig1=()", "sig1=AA"), ("sig1=()", "sig1"),
      ("sig1=()", #"sig1="AA""#), ("sig1=1", "sig1=:AA==:"), ("sig1", "sig1=:AA==:"), ("sig1=()", ""),
      ("", "sig1=:AA==:"), ("sig1=()", "sig2=:AA==:"), ("sig1=()", "sig1=:AA==:, sig2=:AA==:"),
      ("sig1=(), sig2=()", "sig1=:AA==:"), ("sig1=();created=1.0", "sig1=:AA==:"),
      ("sig1=();created", "sig1=:AA==:"),
      (#"sig1=();expires="1""#, "sig1=:AA==:"), ("sig1=();nonce=1", "sig1=:AA==:"),
      ("sig1=();nonce=a", "sig1=:AA==:"),
      ("sig1=();alg=ed25519", "sig1=:AA==:"), ("sig1=();keyid=:AA==:", "sig1=:AA==:"),
      ("sig1=();tag", "sig1=:AA==:"),
      ("sig1=();created=@1", "sig1=:AA==:"),
    ])
  func `malformed fields are refused`(input: String, signature: String) async {
    let fields: HTTPFields = ["Signature-Input": input, "Signature": signature]
    #expect(await codeOfRefusal { _ = try MessageSignature.all(in: fields) } == .malformed)
    let verifier = MessageVerifier(requiring: []) { _ in nil }
    let message = SignableMessage(200, fields: fields)
    #expect(await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) } == .malformed)
  }

  @Test(arguments: [
    (#"sig1=(a)"#), "sig1=(1)", "sig1=(:AA==:)", #"sig1=("A")"#, #"sig1=("@signature-params")"#,
  ])
  func `an undefined component is refused`(input: String) async {
    #expect(await codeOfRefusal { _ = try self.signature(input) } == .invalidComponent)
  }

  @Test func `the number of parsed signatures and components is limited`() async throws {
    func fields(_ count: Int) -> HTTPFields {
      [
        "Signature-Input": (0..<count).map { "a\($0)=()" }.joined(separator: ", "),
        "Signature": (0..<count).map { "a\($0)=::" }.joined(separator: ", "),
      ]
    }
    #expect(try MessageSignature.all(in: fields(16)).count == 16)
    #expect(await codeOfRefusal { _ = try MessageSignature.all(in: fields(17)) } == .malformed)

    func list(_ count: Int) -> String {
      "sig1=(" + (0..<count).map { "\"a\($0)\"" }.joined(separator: " ") + ")"
    }
    #expect(try signature(list(128)).parameters.components.count == 128)
    #expect(await codeOfRefusal { _ = try self.signature(list(129)) } == .malformed)
  }

  @Test func `a signature is added beside others, and replaces one with its label`() throws {
    var fields: HTTPFields = ["A": "1"]
    func add(_ label: String, _ byte: UInt8) throws {
      let parameters = try SignatureParameters(
        ["a"], created: Date(timeIntervalSince1970: 1.9), keyID: "k\(byte)")
      try MessageSignature(label: label, parameters: parameters, bytes: Data([byte])).add(to: &fields)
    }
    try add("sig1", 1)
    #expect(fields["Signature-Input"] == #"sig1=("a");created=1;keyid="k1""#)
    #expect(fields["Signature"] == "sig1=:AQ==:")
    try add("*2.-_", 2)
    try add("sig1", 3)
    #expect(
      fields["Signature-Input"] == #"*2.-_=("a");created=1;keyid="k2", sig1=("a");created=1;keyid="k3""#)
    #expect(fields["Signature"] == "*2.-_=:Ag==:, sig1=:Aw==:")
    #expect(try MessageSignature.all(in: fields).map(\.label) == ["*2.-_", "sig1"])
    #expect(fields.values(of: "Signature").count == 1 && fields["A"] == "1")
  }

  @Test(arguments: ["", "Sig1", "1", "sig 1", "sig1=", "é", "sig1\r\nA: b", "-a"])
  func `an invalid label is refused`(label: String) async throws {
    let key = try SharedKey(Data([1]))
    let parameters = try SignatureParameters([])
    #expect(
      await codeOfRefusal {
        var fields: HTTPFields = [:]
        try MessageSignature(label: label, parameters: parameters, bytes: Data()).add(to: &fields)
      } == .invalidParameter)
    #expect(await codeOfRefusal { _ = try MessageSigner(key, label: label) } == .invalidParameter)
  }

  @Test func `a signature is not added to fields that cannot be parsed`() async throws {
    let parameters = try SignatureParameters([])
    for name in ["Signature", "Signature-Input"] {
      #expect(
        await codeOfRefusal {
          var fields: HTTPFields = [name: "?"]
          try MessageSignature(label: "a", parameters: parameters, bytes: Data()).add(to: &fields)
        } == .malformed)
    }
  }

  @Test func `parameters that cannot be serialized are refused`() async throws {
    for text in ["é", "a\r\nb", "a\u{0}"] {
      #expect(await codeOfRefusal { _ = try SignatureParameters([], keyID: text) } == .invalidParameter)
      #expect(await codeOfRefusal { _ = try SignatureParameters([], nonce: text) } == .invalidParameter)
      #expect(await codeOfRefusal { _ = try SignatureParameters([], tag: text) } == .invalidParameter)
      let key = try SharedKey(Data([1]), keyID: text)
      #expect(await codeOfRefusal { _ = try MessageSigner(key) } == .invalidParameter)
    }
    for seconds in [1e15, -1e15, .infinity, .nan] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(await codeOfRefusal { _ = try SignatureParameters([], created: date) } == .invalidParameter)
      #expect(await codeOfRefusal { _ = try SignatureParameters([], expires: date) } == .invalidParameter)
    }
    #expect(try SignatureParameters([], keyID: #"a"\b"#).value == #"();keyid="a\"\\b""#)
  }
}
