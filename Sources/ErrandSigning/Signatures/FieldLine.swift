/// The value of one line of a field, as it is signed: RFC 9421, section 2.1.
enum FieldLine {
  /// Returns the bytes without the spaces around them. A line that was folded becomes one.
  static func value(_ text: String) -> ArraySlice<UInt8> {
    let bytes = Array(text.utf8)
    return trimmed(bytes.contains(UInt8(ascii: "\n")) ? unfolded(bytes)[...] : bytes[...])
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }

  /// Replaces each fold, and the spaces around it, by a space. Other line breaks stay, and are refused.
  private static func unfolded(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let isFold =
        bytes[index] == UInt8(ascii: "\r") && index + 2 < bytes.count
        && bytes[index + 1] == UInt8(ascii: "\n")
        && isSpace(bytes[index + 2])
      guard isFold else {
        output.append(bytes[index])
        index += 1
        continue
      }
      while let last = output.last, isSpace(last) { output.removeLast() }
      output.append(FieldByte.space)
      index += 2
      while index < bytes.count, isSpace(bytes[index]) { index += 1 }
    }
    return output
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == FieldByte.space || byte == FieldByte.tab }
}
