/// The value of a structured field as a whole: RFC 9651, section 4.2.
public protocol StructuredField: Hashable, Sendable {
  /// Parses the lines of the field, as if they were one. A field that is absent has none.
  /// - Parameter maximumBytes: The length of all lines above which nothing of them is parsed.
  /// - Throws: `.malformed` or `.tooLong`.
  init(parsing lines: [String], maximumBytes: Int) throws(StructuredFieldError)
}

extension StructuredField {
  /// Parses the lines of the field, of at most `StructuredFields.maximumBytes`.
  public init(parsing lines: [String]) throws(StructuredFieldError) {
    try self.init(parsing: lines, maximumBytes: StructuredFields.maximumBytes)
  }

  /// Parses the value of the field. An empty value is an empty list or dictionary.
  /// - Parameter maximumBytes: The length of the value above which nothing of it is parsed.
  /// - Throws: `.malformed` or `.tooLong`.
  public init(
    parsing value: String, maximumBytes: Int = StructuredFields.maximumBytes
  ) throws(StructuredFieldError) {
    try self.init(parsing: [value], maximumBytes: maximumBytes)
  }
}
