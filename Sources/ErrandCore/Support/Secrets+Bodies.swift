extension Secrets {
  /// Returns a body's text with `***` in place of each secret: the values of secret names in JSON and in
  /// forms, and the secrets of URLs in JSON. In doubt, it hides more.
  /// - Parameter contentType: The body's content type; nil if it is not known.
  package func redact(body text: String, contentType: String?) -> String {
    let first = text.utf8.first { $0 > 32 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      var redaction = JSONRedaction(text, self)
      return redaction.redacted()
    }
    let isForm = contentType.map { ASCII.lowercased($0).contains("x-www-form-urlencoded") } ?? false
    guard isForm || !text.utf8.contains(where: { $0 <= 32 }) else { return text }
    return String(redact("?" + text).dropFirst())
  }

  /// True if the text of a body contains a secret that is hidden.
  func mayHide(inBody text: String) -> Bool { redact(body: text, contentType: nil) != text }
}

/// Hides the secrets of a JSON text. The text may be cut or malformed, so it is scanned as a sequence of
/// tokens.
struct JSONRedaction {
  private let input: [UInt8]
  private let secrets: Secrets
  private var output: [UInt8] = []
  private var index = 0

  init(_ text: String, _ secrets: Secrets) {
    input = Array(text.utf8)
    self.secrets = secrets
    output.reserveCapacity(input.count)
  }

  mutating func redacted() -> String {
    while index < input.count {
      guard input[index] == UInt8(ascii: "\"") else {
        output.append(input[index])
        index += 1
        continue
      }
      let start = index
      let content = skipString()
      let colon = indexAfterSpace(index)
      guard colon < input.count, input[colon] == UInt8(ascii: ":") else {
        writeValue(start, content)
        continue
      }
      index = indexAfterSpace(colon + 1)
      // With the space around the colon, so that a body without secrets stays as it is.
      output += input[start..<index]
      if secrets.isSecret(item: Self.decoded(input[content])) { hideValue() }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Writes a string that is not a key.
  private mutating func writeValue(_ start: Int, _ content: Range<Int>) {
    let text = String(decoding: Self.decoded(input[content]), as: UTF8.self)
    if text.contains("://") || Self.isRelativeURL(text.utf8), secrets.redact(text) != text {
      output += Array("\"***\"".utf8)
    } else {
      output += input[start..<index]
    }
  }

  /// True for a text without spaces that has a query or a fragment with items, such as `/next?token=x`.
  private static func isRelativeURL(_ text: some Collection<UInt8>) -> Bool {
    text.allSatisfy { $0 > 32 } && URLBytes.hasItems(text)
  }

  /// Skips a value of any kind and writes stars.
  private mutating func hideValue() {
    output += Array("\"***\"".utf8)
    var depth = 0
    while index < input.count {
      switch input[index] {
      case UInt8(ascii: "\""):
        _ = skipString()
        if depth == 0 { return }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        if depth == 0 {
          index += 1
          return
        }
      case UInt8(ascii: ","): if depth == 0 { return }
      default: break
      }
      index += 1
    }
  }

  /// Skips the string that begins here. Returns the range of its content.
  private mutating func skipString() -> Range<Int> {
    index += 1
    let start = index
    while index < input.count, input[index] != UInt8(ascii: "\"") {
      index += input[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index = min(index, input.count)
    let end = index
    if index < input.count { index += 1 }
    return start..<end
  }

  private func indexAfterSpace(_ start: Int) -> Int {
    input[start...].firstIndex { $0 > 32 } ?? input.count
  }

  /// Returns the content of a string without its escapes.
  private static func decoded(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = content
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        decoded.append(byte)
        continue
      }
      guard escape == UInt8(ascii: "u") else {
        decoded.append(escape)
        continue
      }
      let digits = String(decoding: rest.prefix(4), as: UTF8.self)
      rest = rest.dropFirst(4)
      let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "?"
      decoded += Array(String(Character(scalar)).utf8)
    }
    return decoded
  }
}
