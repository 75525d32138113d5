/// The reason why a structured field (RFC 9651) cannot be parsed or serialized. Its `description` names a
/// remedy, and shows nothing of the field's value.
public struct StructuredFieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add kinds, so keep a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The kind's name, such as "malformed".
    public let description: String

    private init(_ name: String) { description = name }

    /// The received value does not match the field's definition. Ignore the whole field, or treat the message
    /// as malformed (RFC 9651, section 4.2).
    public static let malformed = Code("malformed")
    /// The received value is longer than accepted, and was not parsed.
    public static let tooLong = Code("tooLong")
    /// A value cannot be written in a field, such as a number with too many digits or a string that is not ASCII.
    public static let notSerializable = Code("notSerializable")
  }

  /// The kind of failure.
  public let code: Code
  /// The offset of the byte at which parsing failed; nil for other errors. The lines of a field are counted
  /// as one value, with `, ` between them.
  public let offset: Int?
  /// The cause, and how to correct it.
  public let message: String

  /// Makes an error, also for fields that are based on structured fields but have other contents.
  package init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  public var description: String { offset.map { "at byte \($0), \(message)" } ?? message }
}
