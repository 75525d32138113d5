#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value without parameters (RFC 9651, section 3.3). It can be written as a literal of a number, a string
/// or a boolean.
///
/// Any value can be made. Serializing checks whether it can be sent.
public enum BareItem: Hashable, Sendable {
  /// An integer of at most 15 digits (section 3.3.1).
  case integer(Int64)
  /// A decimal number of at most 12 digits before the point (section 3.3.2). Serializing rounds it to three
  /// digits after the point, and ties to the even digit.
  case decimal(Double)
  /// Printable ASCII characters (section 3.3.3).
  case string(String)
  /// A word that begins with a letter or `*` (section 3.3.4).
  case token(String)
  /// Bytes, which are sent in base64 (section 3.3.5).
  case bytes(Data)
  /// True or false (section 3.3.6).
  case boolean(Bool)
  /// An instant in whole seconds (section 3.3.7). Serializing rounds it down.
  case date(Date)
  /// Text for people, in any script (section 3.3.8). Received text may contain any character, including
  /// control characters, NUL, and marks that change the direction of writing.
  case displayString(String)

  /// Returns the value as it is written in a field (section 4.1.3.1).
  /// - Throws: `.notSerializable` if the value cannot be written in a field.
  package func serialized() throws(StructuredFieldError) -> String {
    try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

/// A bare item, or a type that can be made from one. Literals make it, and typed properties read it.
///
/// ```swift
/// let created = signature.parameters["created"]?.integer
/// ```
public protocol BareItemRepresentable: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Makes an instance from a value without parameters.
  init(_ bareItem: BareItem)
  /// The value without its parameters; nil for an inner list.
  var bareItem: BareItem? { get }
}

extension BareItem: BareItemRepresentable {
  /// Makes a copy of the item.
  public init(_ bareItem: BareItem) { self = bareItem }
  /// The item itself.
  public var bareItem: BareItem? { self }
}

extension BareItemRepresentable {
  public init(integerLiteral value: Int64) { self.init(BareItem.integer(value)) }
  public init(floatLiteral value: Double) { self.init(BareItem.decimal(value)) }
  public init(stringLiteral value: String) { self.init(BareItem.string(value)) }
  public init(booleanLiteral value: Bool) { self.init(BareItem.boolean(value)) }

  /// The integer; nil for other types.
  public var integer: Int64? { if case .integer(let value)? = bareItem { value } else { nil } }
  /// The decimal number; nil for other types, including an integer.
  public var decimal: Double? { if case .decimal(let value)? = bareItem { value } else { nil } }
  /// The string; nil for other types, including a token or a display string.
  public var string: String? { if case .string(let value)? = bareItem { value } else { nil } }
  /// The token; nil for other types.
  public var token: String? { if case .token(let value)? = bareItem { value } else { nil } }
  /// The byte sequence; nil for other types.
  public var bytes: Data? { if case .bytes(let value)? = bareItem { value } else { nil } }
  /// The boolean; nil for other types.
  public var boolean: Bool? { if case .boolean(let value)? = bareItem { value } else { nil } }
  /// The date; nil for other types.
  public var date: Date? { if case .date(let value)? = bareItem { value } else { nil } }
  /// The display string; nil for other types, including a string.
  public var displayString: String? {
    if case .displayString(let value)? = bareItem { value } else { nil }
  }
}
