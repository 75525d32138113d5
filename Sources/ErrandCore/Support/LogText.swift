/// Formats lines of a log.
enum LogText {
  /// Returns the text with each control character escaped, so that no name or message can begin another line.
  static func line(_ text: String) -> String {
    // Most texts are plain ASCII, which needs no look-up.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// True for characters that end a line, or change how a terminal shows it.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
