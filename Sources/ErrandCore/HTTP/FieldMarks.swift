/// Facts about a field line that every request needs. They are determined once, when the line is made,
/// because a line is usually sent several times.
struct FieldMarks: OptionSet, Sendable {
  let rawValue: UInt8

  static let secret = Self(rawValue: 1)
  /// The value begins or ends with spaces or tabs.
  static let padded = Self(rawValue: 2)
  /// The name is not a token.
  static let badName = Self(rawValue: 4)
  /// The value contains a control character, such as CR, LF or NUL.
  static let badValue = Self(rawValue: 8)
  /// The name is `Host`, which a request may have once.
  static let host = Self(rawValue: 16)
  /// The name is `Content-Length` or `Transfer-Encoding`, whose values follow from the body.
  static let framing = Self(rawValue: 32)

  /// The marks of a line that a request may not have, or not always.
  static let suspect: Self = [.badName, .badValue, .host, .framing]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ name: String, _ value: String, isSecret: Bool) {
    self = isSecret || FieldNames.isSecret(name) ? .secret : []
    if ASCII.isPadded(value) { insert(.padded) }
    if !ASCII.isToken(name) { insert(.badName) }
    if ASCII.hasControl(value) { insert(.badValue) }
    switch name.utf8.count {
    case 4 where ASCII.equalIgnoringCase(name, "Host"): insert(.host)
    case 14 where ASCII.equalIgnoringCase(name, "Content-Length"),
      17 where ASCII.equalIgnoringCase(name, "Transfer-Encoding"):
      insert(.framing)
    default: break
    }
  }
}
