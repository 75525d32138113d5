/// The value of a field that is defined as a Dictionary (RFC 9651, section 3.2).
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
  /// Parses the lines of a field that is defined as a Dictionary, as if they were one (section 4.2). Without
  /// lines, the dictionary is empty. If a key appears twice, its last value is used, at the place of the
  /// first.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self = try StructuredFieldParser.parse(lines, maximumBytes) { parser throws(StructuredFieldError) in
      try parser.dictionary()
    }
  }

  /// Returns the field's value (section 4.1.2); nil if the dictionary is empty and the field should not be sent.
  /// - Throws: `.notSerializable` if a value cannot be written in a field.
  public func serialized() throws(StructuredFieldError) -> String? {
    if isEmpty { return nil }
    return try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}
