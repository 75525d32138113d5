/// The value of a field that is defined as a List (RFC 9651, section 3.1).
///
/// ```swift
/// let list: StructuredList = [.token("sugar"), .token("tea"), ["an", "inner", "list"]]
/// fields["Example-List"] = try list.serialized()
/// ```
public struct StructuredList: StructuredField {
  /// The members, in their order.
  public var members: [StructuredMember]

  /// Makes a list of members.
  public init(_ members: [StructuredMember]) { self.members = members }

  /// Parses the lines of a field that is defined as a List, as if they were one (section 4.2). Without lines,
  /// the list is empty.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    members = try StructuredFieldParser.parse(lines, maximumBytes) { parser throws(StructuredFieldError) in
      try parser.list()
    }
  }

  /// Returns the field's value (section 4.1.1); nil if the list is empty and the field should not be sent.
  /// - Throws: `.notSerializable` if a value cannot be written in a field.
  public func serialized() throws(StructuredFieldError) -> String? {
    if members.isEmpty { return nil }
    return try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

extension StructuredList: ExpressibleByArrayLiteral {
  public init(arrayLiteral members: StructuredMember...) { self.init(members) }
}
