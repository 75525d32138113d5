import ErrandStructuredFields

/// The value of one line of a field, in its signed form (RFC 9421, section 2.1).
enum FieldLine {
  /// Appends the value without the spaces around it. A folded line is unfolded.
  static func append(_ text: String, to output: inout [UInt8]) {
    var text = text
    text.withUTF8 { bytes in
      if bytes.contains(UInt8(ascii: "\n")) {
        output += trimmed(unfolded(bytes)[...])
      } else {
        output.append(contentsOf: trimmed(bytes[...]))
      }
    }
  }

  static func value(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    append(text, to: &output)
    return output
  }

  private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
  where Bytes.SubSequence == Bytes {
    var bytes = bytes
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }

  /// Replaces each fold, and the spaces around it, with a space. Other line breaks stay, and are refused later.
  private static func unfolded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
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
