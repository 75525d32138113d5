#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value without parameters: RFC 9651, section 3.3. Literals of numbers, strings and booleans make one.
///
/// Any value can be made; whether it can be sent is checked when it is serialized.
public enum BareItem: Hashable, Sendable {
  /// An integer of at most 15 digits (section 3.3.1).
  case integer(Int64)
  /// A decimal number of at most 12 digits before the point (section 3.3.2). Serializing rounds it to three
  /// digits after the point, and to the even digit if it is in the middle.
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
  /// Text for people, in any script (section 3.3.8). A received one may have any character in it: also
  /// control characters, NUL, and marks that change the direction of writing.
  case displayString(String)

  /// Returns the value as it stands in a field (section 4.1.3.1).
  /// - Throws: `.notSerializable` if it has no such form.
  public func serialized() throws(StructuredFieldError) -> String {
    try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

/// A bare item, or what may be made of one: literals make it, and typed properties read it.
///
/// ```swift
/// let created = signature.parameters["created"]?.integer
/// ```
public protocol BareItemRepresentable: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Makes this of a value without parameters.
  init(_ bareItem: BareItem)
  /// The value without its parameters; nil for an inner list.
  var bareItem: BareItem? { get }
}

extension BareItem: BareItemRepresentable {
  public init(_ bareItem: BareItem) { self = bareItem }
  public var bareItem: BareItem? { self }
}

extension BareItemRepresentable {
  public init(integerLiteral value: Int64) { self.init(BareItem.integer(value)) }
  public init(floatLiteral value: Double) { self.init(BareItem.decimal(value)) }
  public init(stringLiteral value: String) { self.init(BareItem.string(value)) }
  public init(booleanLiteral value: Bool) { self.init(BareItem.boolean(value)) }

  /// The integer; nil if it is something else.
  public var integer: Int64? { if case .integer(let value)? = bareItem { value } else { nil } }
  /// The decimal number; nil if it is something else, also an integer.
  public var decimal: Double? { if case .decimal(let value)? = bareItem { value } else { nil } }
  /// The string; nil if it is something else, also a token or a display string.
  public var string: String? { if case .string(let value)? = bareItem { value } else { nil } }
  /// The token; nil if it is something else.
  public var token: String? { if case .token(let value)? = bareItem { value } else { nil } }
  /// The byte sequence; nil if it is something else.
  public var bytes: Data? { if case .bytes(let value)? = bareItem { value } else { nil } }
  /// The boolean; nil if it is something else.
  public var boolean: Bool? { if case .boolean(let value)? = bareItem { value } else { nil } }
  /// The date; nil if it is something else.
  public var date: Date? { if case .date(let value)? = bareItem { value } else { nil } }
  /// The display string; nil if it is something else, also a string.
  public var displayString: String? {
    if case .displayString(let value)? = bareItem { value } else { nil }
  }
}
