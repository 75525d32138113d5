/// Validation of the value of `If-Range` (RFC 9110, section 13.1.5), whether it comes from a server or a
/// file.
enum IfRange {
  static func isValid(_ text: String) -> Bool {
    isStrongTag(text) || (!ASCII.hasControl(text) && HTTPDate.parse(text) != nil)
  }

  /// Returns true for `"…"` of the characters that an entity tag may have (RFC 9110, section 8.8.3).
  static func isStrongTag(_ text: String) -> Bool {
    let bytes = text.utf8
    return bytes.count > 1 && bytes.first == 0x22 && bytes.last == 0x22
      && bytes.dropFirst().dropLast().allSatisfy { $0 > 32 && $0 != 0x22 && $0 != 127 }
  }
}
