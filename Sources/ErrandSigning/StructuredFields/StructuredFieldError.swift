/// The reason why a structured field (RFC 9651) cannot be parsed or serialized. `description` is a sentence
/// to act on; it shows nothing of the field's value.
public struct StructuredFieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The received value is not what the field is defined to be. The whole field has to be ignored, or the
    /// message be treated as malformed (RFC 9651, section 4.2).
    public static let malformed = Code(rawValue: "malformed")
    /// The received value is longer than accepted. Nothing of it was parsed.
    public static let tooLong = Code(rawValue: "tooLong")
    /// A value has no form in a structured field: a number with too many digits, a string that is not ASCII.
    public static let notSerializable = Code(rawValue: "notSerializable")
  }

  /// The kind of the failure.
  public let code: Code
  /// The offset of the byte at which parsing failed, if that is the reason. A field of several lines is
  /// counted as one value, in which `, ` stands between them.
  public let offset: Int?
  /// The cause, and what to do about it.
  public let message: String

  /// Makes an error, also for fields that are defined by structured fields and hold something else.
  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  public var description: String { offset.map { "at byte \($0), \(message)" } ?? message }
}
