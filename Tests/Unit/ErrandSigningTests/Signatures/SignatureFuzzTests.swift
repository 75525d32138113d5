import ErrandCore
import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

/// Random bytes in the fields of signatures never crash the verifier, and are never accepted.
@Suite(.computesLong) struct SignatureFuzzTests {
  private static let pieces = [
    "sig1", "=", "(", ")", "\"", "@method", "@path", "@query-param", "@status", "date", ";", "created",
    "expires", "nonce",
    "alg", "keyid", "tag", "name", "key", "req", "sf", "bs", "tr", "1618884473", "999999999999999", "-1",
    "1.5", "?1", "?0",
    ":AAEC:", "::", ":", ",", " ", ", ", "ed25519", "a", "*", "\\", "\u{0}", "\r\n", "é", "%41", "\"a\"",
    "(\"@method\")",
    "sig1=(\"date\");created=1", "sig2=()", "sig1=:AA==:", "@signature-params", "\t",
  ]

  private static func junk(_ random: inout Seeded, _ length: Int) -> String {
    (0..<random.number(0...length)).map { _ in pieces[random.number(0...pieces.count - 1)] }.joined()
  }

  /// Returns a value that is right except for a few of its bytes.
  private static func damaged(_ text: String, _ random: inout Seeded) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<random.number(0...4) {
      guard !bytes.isEmpty else { break }
      let index = random.number(0...bytes.count - 1)
      switch random.number(0...3) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(contentsOf: pieces[random.number(0...pieces.count - 1)].utf8, at: index)
      case 2: bytes[index] = UInt8(random.number(0...255))
      default: bytes.swapAt(index, random.number(0...bytes.count - 1))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `accepted fields among 20,000 damaged ones are serialized unchanged`() async throws {
    let input =
      #"sig1=("@method" "date";req "a";key="b");created=1618884473;keyid="k";alg="ed25519", sig2=("@path");tag="t""#
    let signature = "sig1=:AAECAwQ=:, sig2=:/+A=:"
    var random = Seeded(9421)
    var (signatures, components) = (0, 0)
    for _ in 0..<20_000 {
      let isJunk = random.number(0...3) == 0
      let fields: HTTPFields = [
        "Signature-Input": isJunk ? Self.junk(&random, 20) : Self.damaged(input, &random),
        "Signature": random.number(0...1) == 0 ? signature : Self.damaged(signature, &random),
      ]
      if let parsed = try? MessageSignature.all(in: fields) {
        signatures += 1
        var copy: HTTPFields = [:]
        for signature in parsed { try signature.add(to: &copy) }
        #expect(try MessageSignature.all(in: copy) == parsed)
      }
      if let component = try? MessageComponent(parsing: Self.junk(&random, 6)) {
        components += 1
        #expect(try MessageComponent(parsing: component.identifier) == component)
      }
    }
    // Valid fields are among them, and so are invalid ones.
    #expect(
      1000..<19_000 ~= signatures && components > 500, "\(signatures) \(components)")
  }

  @Test func `no random value is verified`() async throws {
    let key = try SharedKey(RFCKeys.shared, keyID: "k")
    var verifier = MessageVerifier(keys: [key], requiring: [])
    verifier.maximumAge = .seconds(60)
    verifier.nonces = MemoryNonceStore()
    var message = RFCMessages.request
    try await MessageSigner(key).signature(of: message, at: RFCMessages.date).add(to: &message.fields)
    let (input, signature) = (message.fields["Signature-Input"] ?? "", message.fields["Signature"] ?? "")
    let parsed = try MessageSignature.all(in: message.fields)
    var random = Seeded(1)
    for _ in 0..<5000 {
      var other = message
      other.fields["Signature-Input"] = Self.damaged(input, &random)
      other.fields["Signature"] = Self.damaged(signature, &random)
      if (try? MessageSignature.all(in: other.fields)).map({
        $0.map(\.parameters) == parsed.map(\.parameters)
      }) == true {
        continue
      }
      let copy = other
      #expect(await codeOfRefusal { try await verifier.verify(copy, now: RFCMessages.date) } != nil)
    }
  }

  @Test func `any URL and query can be split into components`() {
    let pieces = [
      "https", "http", ":", "//", "/", "?", "#", "@", "a", "=", "&", "%", "%4", "%41", "+", "[", "]", "443",
      "80", "é", "",
    ]
    var random = Seeded(3)
    for _ in 0..<20_000 {
      let text = (0..<random.number(0...12)).map { _ in pieces[random.number(0...pieces.count - 1)] }.joined()
      let host = random.number(0...2) == 0 ? pieces[random.number(0...pieces.count - 1)] : nil
      guard let target = TargetURL(text, host: host) else { continue }
      #expect(!target.path.isEmpty && !target.authority.isEmpty && !target.scheme.isEmpty)
      #expect(!target.path.contains(UInt8(ascii: "?")) && !target.path.contains(UInt8(ascii: "#")))
      _ = QueryParameters.values(of: "a", in: target.query ?? [])
    }
  }
}
