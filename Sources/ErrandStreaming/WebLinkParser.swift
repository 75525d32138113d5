import ErrandCore

/// Reads the links of one field value (RFC 8288, appendix B.2), in one pass. Pure.
struct WebLinkParser {
  /// The most links of a response that are read.
  static let mostLinks = 1000

  private let bytes: [UInt8]
  private var index = 0

  init(_ value: String) { bytes = Array(value.utf8) }

  /// Returns the next link's target and parameters; nil at the end, or at text that is not a link.
  mutating func next() -> (target: String, parameters: [WebLink.Parameter])? {
    // Lists may have empty elements (RFC 9110, section 5.6.1.2).
    skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
    guard take(UInt8(ascii: "<")) else { return nil }
    let target = token { $0 != UInt8(ascii: ">") }
    guard take(UInt8(ascii: ">")) else { return nil }
    let parameters = parameters()
    // Text after the parameters is not part of any.
    skip { $0 != UInt8(ascii: ",") }
    return (ASCII.trimmed(target), parameters)
  }

  /// Appendix B.3.
  private mutating func parameters() -> [WebLink.Parameter] {
    var parameters: [WebLink.Parameter] = []
    while true {
      skip(Self.isSpace)
      guard take(UInt8(ascii: ";")) else { return parameters }
      skip(Self.isSpace)
      let name = token { !"=;,".utf8.contains($0) && !Self.isSpace($0) }
      skip(Self.isSpace)
      var value = ""
      if take(UInt8(ascii: "=")) {
        skip(Self.isSpace)
        value = take(UInt8(ascii: "\"")) ? quoted() : ASCII.trimmed(token { !";,".utf8.contains($0) })
      }
      if !name.isEmpty { parameters.append(WebLink.Parameter(name: ASCII.lowercased(name), value: value)) }
    }
  }

  /// Returns the rest of a quoted string, without its escapes (appendix B.4).
  private mutating func quoted() -> String {
    var text: [UInt8] = []
    while index < bytes.count {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), index < bytes.count {
        byte = bytes[index]
        index += 1
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  private mutating func token(_ belongs: (UInt8) -> Bool) -> String {
    let start = index
    skip(belongs)
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skip(_ belongs: (UInt8) -> Bool) {
    while index < bytes.count, belongs(bytes[index]) { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }
}

/// Decodes the values of parameters whose names end in `*` (RFC 8187). Pure.
enum ExtendedValue {
  /// Returns the text of a value such as `UTF-8'de'n%C3%A4chstes`; nil if it is not one in UTF-8.
  static func text(_ value: String) -> String? {
    let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, ASCII.equalIgnoringCase(String(decoding: parts[0], as: UTF8.self), "UTF-8") else {
      return nil
    }
    return String(validating: URLBytes.decoded(String(decoding: parts[2], as: UTF8.self)), as: UTF8.self)
  }
}
