import ErrandStructuredFields

/// The components and parameters of a signer, as text. Only the times and a random nonce differ between signatures.
struct SignatureParametersText: Sendable {
  private let components: [UInt8]
  private let keyAndAlgorithm: [UInt8]
  private let nonce: MessageSigner.Nonce
  /// The nonce, if it is always the same, and the tag.
  private let rest: [UInt8]

  /// - Throws: `.invalidParameter`.
  init(
    _ components: [MessageComponent], keyID: String?, algorithm: SignatureAlgorithm?,
    nonce: MessageSigner.Nonce,
    tag: String?
  ) throws(SigningError) {
    self.components = Array(SignatureParameters.text(of: components).utf8)
    keyAndAlgorithm = try Self.text(["keyid": keyID, "alg": algorithm?.rawValue])
    self.nonce = nonce
    let value: String? = if case .value(let value) = nonce { value } else { nil }
    rest = try Self.text(["nonce": value, "tag": tag])
  }

  private static func text(_ values: KeyValuePairs<String, String?>) throws(SigningError) -> [UInt8] {
    var parameters = StructuredParameters()
    for (name, value) in values { parameters[name] = value.map(BareItem.string) }
    return Array(try SignatureParameters.text(of: parameters).utf8)
  }

  /// Returns the value for one signature. Its parameters have the order of RFC 9421's examples.
  func value(created: Int64?, expires: Int64?) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(components.count + keyAndAlgorithm.count + rest.count + 80)
    output += components
    if let created {
      output.append(text: ";created=")
      output.append(number: created)
    }
    output += keyAndAlgorithm
    if let expires {
      output.append(text: ";expires=")
      output.append(number: expires)
    }
    if nonce == .random {
      output.append(text: ";nonce=\"")
      Self.appendRandom(to: &output)
      output.append(FieldByte.quote)
    }
    output += rest
    return output
  }

  /// Appends 16 random bytes as 22 characters.
  private static func appendRandom(to output: inout [UInt8]) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2 {
      var bits: UInt64 = generator.next()
      for _ in 0..<11 {
        output.append(alphabet.utf8Start[Int(bits & 63)])
        bits >>= 6
      }
    }
  }
}
