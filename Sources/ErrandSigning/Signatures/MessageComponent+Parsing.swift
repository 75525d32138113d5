extension MessageComponent: ExpressibleByStringLiteral {
  /// Makes a component of what `init(parsing:)` reads. A literal that it does not read is refused when it is used.
  public init(stringLiteral text: String) {
    self =
      (try? MessageComponent(parsing: text))
      ?? MessageComponent(name: "", identifier: text, options: Options())
  }

  /// Parses what a person writes: `@method`, `Content-Digest`, `content-digest;req`, or the form in a signature,
  /// `"@query-param";name="Pet"`.
  /// - Throws: `.invalidComponent`.
  public init(parsing text: String) throws(SignatureError) {
    var item = text
    if text.utf8.first != FieldByte.quote {
      let end = text.firstIndex(of: ";") ?? text.endIndex
      item =
        Self.quoted(String(decoding: text[..<end].utf8.map(FieldByte.lowered), as: UTF8.self)) + text[end...]
    }
    do {
      try self.init(StructuredItem(parsing: item))
    } catch let error as SignatureError {
      throw error
    } catch {
      throw SignatureError(
        .invalidComponent, "this is no component of a message; write the name of a field, or one as @method")
    }
  }

  /// Reads a component identifier of a signature.
  /// - Throws: `.invalidComponent`.
  init(_ item: StructuredItem) throws(SignatureError) {
    guard let name = item.value.string, let identifier = try? item.serialized() else {
      throw SignatureError(.invalidComponent, "a component's name has to be a string")
    }
    var options = Options()
    for (key, value) in item.parameters {
      switch (key, value) {
      case ("req", .boolean(true)): options.isOfRequest = true
      case ("sf", .boolean(true)): options.isStructured = true
      case ("bs", .boolean(true)): options.isWrapped = true
      case ("tr", .boolean(true)): options.isTrailer = true
      case ("key", .string(let key)): options.key = key
      case ("name", .string(let name)): options.parameterName = name
      default:
        throw SignatureError(
          .invalidComponent,
          "the component \(identifier.prefix(100)) has a parameter that is not known, or is of another type")
      }
    }
    self.init(name: name, identifier: identifier, options: options)
    try check()
  }

  /// Checks that the component is defined, with parameters that are for it.
  /// - Throws: `.invalidComponent`.
  func check() throws(SignatureError) {
    if let problem { throw SignatureError(.invalidComponent, "the component \(self) \(problem)") }
  }

  private var problem: String? {
    // A message here has no trailers, so that none could be verified.
    if options.isTrailer { return "is a trailer field, which is not supported; cover a header field" }
    if options.isWrapped, options.isStructured || options.key != nil {
      return "is asked for as bytes and as a structured field at once; choose bs, or sf and key"
    }
    guard let derived else { return fieldProblem }
    if options.isStructured || options.isWrapped || options.key != nil {
      return "is no field, so that sf, bs and key are not for it"
    }
    if derived == .status, options.isOfRequest { return "is not a part of a request" }
    return (derived == .queryParameter) == (options.parameterName != nil)
      ? nil : "has to have a name if it is @query-param, and else must have none"
  }

  private var fieldProblem: String? {
    if options.parameterName != nil { return "is no parameter of a query, so that name is not for it" }
    guard !name.isEmpty, name.utf8.allSatisfy(FieldByte.isFieldName) else {
      return "is no derived component that is known, and no field's name in lower case"
    }
    if let key = options.key, !key.utf8.allSatisfy(FieldByte.isPrintable) {
      return "has a key that is not ASCII"
    }
    return nil
  }
}

extension FieldByte {
  static func lowered(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

  /// Returns true for a byte that a field's name in lower case may have in it: that of a token of RFC 9110.
  static func isFieldName(_ byte: UInt8) -> Bool {
    isToken(byte) && lowered(byte) == byte && byte != colon && byte != UInt8(ascii: "/")
  }
}
