/// The value of a field that is defined as a Dictionary: RFC 9651, section 3.2.
///
/// ```swift
/// let signature = try StructuredDictionary(parsing: value)["sig1"]?.bytes
///
/// let input: StructuredDictionary = [
///   "sig1": .innerList(["@method", "@path"], parameters: ["created": 1_618_884_473, "keyid": "test-key"])
/// ]
/// fields["Signature-Input"] = try input.serialized()
/// ```
public typealias StructuredDictionary = StructuredMap<StructuredMember>

extension StructuredDictionary {
  /// Parses the value of a field that is defined as a Dictionary (section 4.2). An empty value is an empty
  /// dictionary. Of a key that comes twice, the last value counts, at the place of the first.
  /// - Parameter maximumBytes: The length of the value above which nothing of it is parsed.
  /// - Throws: `.malformed` or `.tooLong`.
  public init(
    parsing value: String, maximumBytes: Int = StructuredFields.maximumBytes
  ) throws(StructuredFieldError) {
    try self.init(parsing: [value], maximumBytes: maximumBytes)
  }

  /// Parses the lines of a field that is defined as a Dictionary, as if they were one (section 4.2). A field
  /// that is absent has none, and is an empty dictionary.
  public init(
    parsing lines: [String], maximumBytes: Int = StructuredFields.maximumBytes
  ) throws(StructuredFieldError) {
    self = try StructuredFieldParser.parse(lines, maximumBytes) { parser throws(StructuredFieldError) in
      try parser.dictionary()
    }
  }

  /// Returns the field's value (section 4.1.2), or nil for an empty dictionary: the field is not sent then.
  /// - Throws: `.notSerializable` if something in it has no form in a structured field.
  public func serialized() throws(StructuredFieldError) -> String? {
    if isEmpty { return nil }
    return try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}
