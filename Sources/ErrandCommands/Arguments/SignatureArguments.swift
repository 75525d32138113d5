import ErrandCore
import ErrandSigning

/// The options that say how a request is signed, and whose signature its response needs (RFC 9421).
struct SignatureArguments: Sendable, Hashable {
  /// The file of the key to sign with.
  var key: String?
  var keyID: String?
  /// The file with the password of that key; nil if it is not encrypted.
  var keyPasswordFile: String?
  /// The parts of the request that are signed; nil for the method, the URL and the body.
  var components: [MessageComponent]?
  /// The file of the key that the response has to be signed with.
  var verificationKey: String?
  /// The components that this signature has to cover; nil for those that bind the response to the request.
  var verifiedComponents: [MessageComponent]?
  /// The greatest age of this signature; nil for the usual one.
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
    if let text = arguments.last(.verifyAge) {
      verificationAge = try ValueParser.duration(text, for: .verifyAge)
    }
    if verificationKey == nil, let option = [OptionSpec.verifyCover, .verifyAge].first(where: arguments.has) {
      throw UsageError("\(option.name) goes with --verify only")
    }
    for (option, value) in [(OptionSpec.sign, key), (.verify, verificationKey)] where value?.isEmpty ?? false
    {
      throw UsageError("\(option.name) names no file")
    }
    if key == nil, let option = [OptionSpec.keyID, .cover].first(where: arguments.has) {
      throw UsageError("\(option.name) goes with --sign only")
    }
    if key != nil, arguments.has(.awsSigV4) {
      throw UsageError("--sign and --aws-sigv4 each sign; use one of them")
    }
    if let keyID, keyID.isEmpty || !keyID.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
      throw UsageError("--key-id takes a name in ASCII")
    }
    if verificationKey != nil, arguments.has(.file) || arguments.accepts(.resume) {
      throw UsageError(
        "--verify does not go with a file", hint: "Print the body, and write that to a file: > FILE.")
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
            "As in \(option.name) \(option == .cover ? "@method,@target-uri,content-digest" : "@status,@path;req")."
        )
      }
    }
    return components
  }

  /// Splits at commas that are in no quotes.
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
