/// An item or an inner list: a member of a list or of a dictionary (RFC 9651, sections 3.1 and 3.2).
public enum StructuredMember: Hashable, Sendable {
  /// One value, with its parameters.
  case item(StructuredItem)
  /// Several items in parentheses.
  case innerList(StructuredInnerList)

  /// Returns a member that is an inner list, with parameters.
  public static func innerList(_ items: [StructuredItem], parameters: StructuredParameters) -> Self {
    .innerList(StructuredInnerList(items, parameters: parameters))
  }

  /// The item; nil for an inner list.
  public var item: StructuredItem? { if case .item(let item) = self { item } else { nil } }

  /// The inner list; nil for an item.
  public var innerList: StructuredInnerList? { if case .innerList(let list) = self { list } else { nil } }

  /// The parameters of the item or of the inner list.
  public var parameters: StructuredParameters {
    get {
      switch self {
      case .item(let item): item.parameters
      case .innerList(let list): list.parameters
      }
    }
    set {
      switch self {
      case .item(let item): self = .item(StructuredItem(item.value, parameters: newValue))
      case .innerList(let list): self = .innerList(StructuredInnerList(list.items, parameters: newValue))
      }
    }
  }

  /// Returns the member as it is written in a field, without a dictionary's key.
  /// - Throws: `.notSerializable` if a value cannot be written in a field.
  package func serialized() throws(StructuredFieldError) -> String {
    try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

extension StructuredMember: ParameterizedItem, ExpressibleByArrayLiteral {
  /// Makes an item from a value and its parameters.
  public init(_ value: BareItem, parameters: StructuredParameters) {
    self = .item(StructuredItem(value, parameters: parameters))
  }

  /// Makes an inner list.
  public init(arrayLiteral items: StructuredItem...) { self = .innerList(StructuredInnerList(items)) }

  /// The item's value without its parameters; nil for an inner list.
  public var bareItem: BareItem? { item?.value }
}

/// A sequence of items that has parameters (RFC 9651, section 3.1.1).
public struct StructuredInnerList: Hashable, Sendable {
  /// The items, in their order.
  public var items: [StructuredItem]
  /// The parameters of the inner list, besides those of its items; may be empty.
  public var parameters: StructuredParameters

  /// Makes an inner list of items.
  public init(_ items: [StructuredItem], parameters: StructuredParameters = [:]) {
    self.items = items
    self.parameters = parameters
  }

  /// Returns the inner list as it is written in a field, with its parentheses and parameters (section 4.1.1.1).
  /// - Throws: `.notSerializable` if a value cannot be written in a field.
  package func serialized() throws(StructuredFieldError) -> String {
    try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

extension StructuredInnerList: ExpressibleByArrayLiteral {
  public init(arrayLiteral items: StructuredItem...) { self.init(items) }
}
