/// The value of a whole structured field (RFC 9651, section 4.2).
public protocol StructuredField: Hashable, Sendable {
  /// Parses the lines of the field, as if they were one. An absent field has no lines.
  /// - Parameter maximumBytes: The most bytes that all lines may have.
  /// - Throws: `.malformed`; `.tooLong` if the lines have more than `maximumBytes` bytes.
  init(parsing lines: [String], maximumBytes: Int) throws(StructuredFieldError)
}

extension StructuredField {
  /// Parses the lines of the field, of at most 256 KiB.
  public init(parsing lines: [String]) throws(StructuredFieldError) {
    try self.init(parsing: lines, maximumBytes: StructuredFields.maximumBytes)
  }

  /// Parses the value of the field. An empty value is an empty list or dictionary.
  /// - Parameter maximumBytes: The most bytes that the value may have. Default: 256 KiB, the limit for all fields of
  ///   a response.
  /// - Throws: `.malformed`; `.tooLong` if the value has more than `maximumBytes` bytes.
  public init(
    parsing value: String, maximumBytes: Int = 256 << 10
  ) throws(StructuredFieldError) {
    try self.init(parsing: [value], maximumBytes: maximumBytes)
  }
}
