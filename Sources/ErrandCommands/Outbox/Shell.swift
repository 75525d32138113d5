/// Quotes text for a shell.
enum Shell {
  /// Returns the text as one word.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || "/._-+:=@%,".utf8.contains(byte)
    }
    if isPlain, !text.isEmpty { return text }
    return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }
}
