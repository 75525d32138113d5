import ErrandStructuredFields

extension MessageComponent: ExpressibleByStringLiteral {
  /// Makes a component from text that `init(parsing:)` accepts. Using any other literal throws `.invalidComponent`.
  public init(stringLiteral text: String) {
    self =
      (try? MessageComponent(parsing: text))
      ?? MessageComponent(name: "", identifier: text, options: Options())
  }

  /// Parses a component as people write it, such as `@method`, `Content-Digest` or `content-digest;req`, or
  /// in the form of a signature, such as `"@query-param";name="Pet"`.
  /// - Throws: `.invalidComponent`.
  package init(parsing text: String) throws(SigningError) {
    var item = text
    if text.utf8.first != FieldByte.quote {
      let end = text.firstIndex(of: ";") ?? text.endIndex
      item =
        Self.quoted(String(decoding: text[..<end].utf8.map(FieldByte.lowered), as: UTF8.self)) + text[end...]
    }
    do {
      try self.init(StructuredItem(parsing: item))
    } catch let error as SigningError {
      throw error
    } catch {
      throw SigningError(
        .invalidComponent,
        "the text is not a component of a message; write the name of a field, or a name such as @method")
    }
  }

  /// Reads a component identifier of a signature.
  /// - Throws: `.invalidComponent`.
  init(_ item: StructuredItem) throws(SigningError) {
    guard let name = item.value.string, let identifier = try? item.serialized() else {
      throw SigningError(.invalidComponent, "a component's name has to be a string")
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
        throw SigningError(
          .invalidComponent,
          "the component \(identifier.prefix(100)) has a parameter that is unknown or has the wrong type")
      }
    }
    self.init(name: name, identifier: identifier, options: options)
    try check()
  }

  /// Checks that the component is defined, and that its parameters fit it.
  /// - Throws: `.invalidComponent`.
  func check() throws(SigningError) {
    if let problem { throw SigningError(.invalidComponent, "the component \(self) \(problem)") }
  }

  private var problem: String? {
    // The verified messages have no trailers.
    if options.isTrailer { return "is a trailer field, which is not supported; cover a header field" }
    if options.isWrapped, options.isStructured || options.key != nil {
      return "cannot be covered as bytes and as a structured field at once; choose bs, or sf and key"
    }
    guard let derived else { return fieldProblem }
    if options.isStructured || options.isWrapped || options.key != nil {
      return "is not a field; remove sf, bs and key, which are for fields only"
    }
    if derived == .status, options.isOfRequest { return "is not a part of a request" }
    return (derived == .queryParameter) == (options.parameterName != nil)
      ? nil : "has to have a name if it is @query-param; other components cannot have a name"
  }

  private var fieldProblem: String? {
    if options.parameterName != nil { return "is a field; remove name, which is for @query-param only" }
    guard !name.isEmpty, name.utf8.allSatisfy(FieldByte.isFieldName) else {
      return "is neither a known derived component nor the name of a field in lower case"
    }
    if let key = options.key, !key.utf8.allSatisfy(FieldByte.isPrintable) {
      return "has a key that is not ASCII"
    }
    return nil
  }
}

extension FieldByte {
  static func lowered(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

  /// Returns true for a byte that a field's name in lower case can contain: a lower-case token character of RFC 9110.
  static func isFieldName(_ byte: UInt8) -> Bool {
    isToken(byte) && lowered(byte) == byte && byte != colon && byte != UInt8(ascii: "/")
  }
}
