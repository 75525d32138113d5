/// The value of a field that is defined as a List: RFC 9651, section 3.1.
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

  /// Parses the lines of a field that is defined as a List, as if they were one (section 4.2). A field that
  /// is absent has none, and is an empty list.
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    members = try StructuredFieldParser.parse(lines, maximumBytes) { parser throws(StructuredFieldError) in
      try parser.list()
    }
  }

  /// Returns the field's value (section 4.1.1), or nil for an empty list: the field is not sent then.
  /// - Throws: `.notSerializable` if something in it has no form in a structured field.
  public func serialized() throws(StructuredFieldError) -> String? {
    if members.isEmpty { return nil }
    return try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

extension StructuredList: RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
  ExpressibleByArrayLiteral
{
  public init() { self.init([]) }
  public init(arrayLiteral members: StructuredMember...) { self.init(members) }

  public var startIndex: Int { members.startIndex }
  public var endIndex: Int { members.endIndex }

  public subscript(index: Int) -> StructuredMember {
    get { members[index] }
    set { members[index] = newValue }
  }

  public mutating func replaceSubrange(
    _ range: Range<Int>, with replacement: some Collection<StructuredMember>
  ) {
    members.replaceSubrange(range, with: replacement)
  }
}
