import ErrandCore
import ErrandSigning

/// The options that sign the request and verify the signature of its response (RFC 9421).
struct SignatureArguments: Sendable, Hashable {
  /// The file with the key that signs the request; nil not to sign it.
  var key: String?
  var keyID: String?
  /// The file with the password of that key; nil if it is not encrypted.
  var keyPasswordFile: String?
  /// The parts of the request that are signed; nil for the method, the URL and the body.
  var components: [MessageComponent]?
  /// The file with the key that the response must be signed with; nil to accept any response.
  var verificationKey: String?
  /// The components that the response's signature must cover; nil for those that bind it to the request.
  var verifiedComponents: [MessageComponent]?
  /// The greatest age of the response's signature; nil for 300 s.
  var verificationAge: Duration?

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    key = arguments.last(.sign)
    keyID = arguments.last(.keyID)
    if key != nil { keyPasswordFile = try ValueParser.passwordFile(arguments.last(.keyPassword)) }
    if let text = arguments.last(.cover) { components = try Self.components(text, for: .cover) }
    verificationKey = arguments.last(.verify)
    if let text = arguments.last(.verifyCover) {
      verifiedComponents = try Self.components(text, for: .verifyCover)
    }
    if let verificationKey, ["no", "false", "0"].contains(verificationKey) {
      throw UsageError(
        "--verify takes the key that signs the response", hint: "To accept any certificate: -k.")
    }
    if let text = arguments.last(.verifyAge) {
      verificationAge = try ValueParser.duration(text, for: .verifyAge)
    }
    if verificationKey == nil, let option = [OptionSpec.verifyCover, .verifyAge].first(where: arguments.has) {
      throw UsageError("\(option.name) can be used only with --verify")
    }
    for (option, value) in [(OptionSpec.sign, key), (.verify, verificationKey)] where value?.isEmpty ?? false
    {
      throw UsageError("\(option.name) needs a file name")
    }
    if key == nil, let option = [OptionSpec.keyID, .cover].first(where: arguments.has) {
      throw UsageError("\(option.name) can be used only with --sign")
    }
    if key != nil, arguments.has(.awsSigV4) {
      throw UsageError("--sign and --aws-sigv4 both sign the request; use one of them")
    }
    if let keyID, keyID.isEmpty || !keyID.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
      throw UsageError("--key-id takes one or more printable ASCII characters")
    }
    if verificationKey != nil, arguments.has(.file) || arguments.accepts(.resume) {
      throw UsageError(
        "--verify cannot write the body to a file itself",
        hint: "Redirect standard output: errand get URL > FILE.")
    }
  }

  private static func components(_ text: String, for option: OptionSpec) throws(UsageError)
    -> [MessageComponent]
  {
    var components: [MessageComponent] = []
    for part in split(text) {
      do {
        components.append(try MessageComponent(parsing: ASCII.trimmed(part)))
      } catch {
        throw UsageError(
          "\(option.name): \(error.message)",
          hint:
            "For example: \(option.name) \(option == .cover ? "@method,@target-uri,content-digest" : "@status,@path;req")."
        )
      }
    }
    return components
  }

  /// Splits at commas outside quotes.
  private static func split(_ text: String) -> [String] {
    var (parts, isQuoted) = ([[UInt8]()], false)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
