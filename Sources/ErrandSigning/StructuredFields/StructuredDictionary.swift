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

extension StructuredMap: StructuredField where Value == StructuredMember {
  /// Parses the lines of a field that is defined as a Dictionary, as if they were one (section 4.2). A field
  /// that is absent has none, and is an empty dictionary. Of a key that comes twice, the last value counts, at
  /// the place of the first.
  public init(
    parsing lines: [String], maximumBytes: Int
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
