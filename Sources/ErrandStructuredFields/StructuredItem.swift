#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The parameters of an item or of an inner list, in their order (RFC 9651, section 3.1.2).
public typealias StructuredParameters = StructuredMap<BareItem>

/// A value and its parameters (RFC 9651, section 3.3). It is also the whole value of a field that is defined
/// as an Item.
///
/// ```swift
/// let item = try StructuredItem(parsing: "text/html; q=0.5")
/// item.token                   // "text/html"
/// item.parameters["q"]?.decimal // 0.5
/// ```
public struct StructuredItem: StructuredField {
  /// The value without its parameters.
  public var value: BareItem
  /// The parameters; may be empty.
  public var parameters: StructuredParameters

  /// Makes an item from a value and its parameters.
  public init(_ value: BareItem, parameters: StructuredParameters) {
    self.value = value
    self.parameters = parameters
  }

  /// Parses the lines of a field that is defined as an Item. Several lines are combined with commas, which is
  /// valid only inside a string (section 4.2).
  public init(
    parsing lines: [String], maximumBytes: Int
  ) throws(StructuredFieldError) {
    self = try StructuredFieldParser.parse(lines, maximumBytes) { parser throws(StructuredFieldError) in
      try parser.item()
    }
  }

  /// Returns the field's value (section 4.1.3).
  /// - Throws: `.notSerializable` if a value cannot be written in a field.
  public func serialized() throws(StructuredFieldError) -> String {
    try StructuredFieldSerializer.serialize { serializer throws(StructuredFieldError) in
      try serializer.append(self)
    }
  }
}

/// A type that is made from a bare item and parameters: an item, or a member that can be one.
///
/// ```swift
/// let list: StructuredList = [.token("sugar"), .string("tea", parameters: ["hot": true]), 5]
/// ```
public protocol ParameterizedItem: BareItemRepresentable {
  /// Makes an item from a value and its parameters.
  init(_ value: BareItem, parameters: StructuredParameters)
  /// The parameters; may be empty.
  var parameters: StructuredParameters { get set }
}

extension StructuredItem: ParameterizedItem {
  /// The value without its parameters.
  public var bareItem: BareItem? { value }
}

extension ParameterizedItem {
  /// Makes an item without parameters.
  public init(_ bareItem: BareItem) { self.init(bareItem, parameters: [:]) }

  /// Returns an integer with parameters.
  public static func integer(_ value: Int64, parameters: StructuredParameters = [:]) -> Self {
    Self(.integer(value), parameters: parameters)
  }

  /// Returns a decimal number with parameters.
  public static func decimal(_ value: Double, parameters: StructuredParameters = [:]) -> Self {
    Self(.decimal(value), parameters: parameters)
  }

  /// Returns a string with parameters.
  public static func string(_ value: String, parameters: StructuredParameters = [:]) -> Self {
    Self(.string(value), parameters: parameters)
  }

  /// Returns a token with parameters.
  public static func token(_ value: String, parameters: StructuredParameters = [:]) -> Self {
    Self(.token(value), parameters: parameters)
  }

  /// Returns a byte sequence with parameters.
  public static func bytes(_ value: Data, parameters: StructuredParameters = [:]) -> Self {
    Self(.bytes(value), parameters: parameters)
  }

  /// Returns a boolean with parameters.
  public static func boolean(_ value: Bool, parameters: StructuredParameters = [:]) -> Self {
    Self(.boolean(value), parameters: parameters)
  }

  /// Returns a date with parameters.
  public static func date(_ value: Date, parameters: StructuredParameters = [:]) -> Self {
    Self(.date(value), parameters: parameters)
  }

  /// Returns a display string with parameters.
  public static func displayString(_ value: String, parameters: StructuredParameters = [:]) -> Self {
    Self(.displayString(value), parameters: parameters)
  }
}
