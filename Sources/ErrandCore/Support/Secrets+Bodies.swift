extension Secrets {
  /// Returns a body's text with `***` in place of each secret: the values of secret names in JSON and in
  /// forms, also within strings of JSON and values of forms, and the secrets of URLs in JSON. In doubt, it
  /// hides more.
  /// - Parameter contentType: The body's content type; nil if it is not known.
  package func redact(body text: String, contentType: String?) -> String {
    let type = contentType.map(ASCII.lowercased) ?? ""
    let isJSON = ["json", "event-stream"].contains { type.contains($0) } || JSONRedaction.isJSON(text.utf8)
    return redact(text, isJSON: isJSON, isForm: type.contains("x-www-form-urlencoded"), depth: 0)
  }

  /// True if the text of a body contains a secret that is hidden.
  func mayHide(inBody text: String) -> Bool { redact(body: text, contentType: nil) != text }

  /// Returns true if a text within a body is JSON or a form with a secret in it, or is nested too deeply.
  func holdsSecret(_ text: String, depth: Int) -> Bool {
    let isJSON = JSONRedaction.isJSON(text.utf8)
    guard isJSON || text.utf8.contains(UInt8(ascii: "=")) else { return false }
    return depth > SecretScan.mostDepth || redact(text, isJSON: isJSON, isForm: false, depth: depth) != text
  }

  private func redact(_ text: String, isJSON: Bool, isForm: Bool, depth: Int) -> String {
    var text = text
    if isJSON {
      var redaction = JSONRedaction(text, self, depth: depth)
      text = redaction.redacted()
    }
    guard isForm || (!isJSON && !text.utf8.contains(where: { $0 <= 32 })) else { return text }
    return String(SecretScan("?" + text, self, depth: depth, isBody: true).shown.dropFirst())
  }
}

/// Hides the secrets of a JSON text. The text may be cut or malformed, so it is scanned as a sequence of
/// tokens.
struct JSONRedaction {
  /// An object or an array that has not ended.
  private struct Container {
    /// True if one of its members is the name of a secret: `{"name": "Authorization", "value": …}`.
    var namesSecret = false
    /// Where the values of that name are in the output, and where the present one begins.
    var values: [Range<Int>] = []
    var valueStart: Int?
  }

  /// The members that have the name of another member's value, and those that have the value, in lower case.
  private static let namingMembers = Set(["name", "key", "field", "header"].map(SecretName.comparable))
  private static let valueMembers = Set(["value", "values"].map(SecretName.comparable))

  private let input: [UInt8]
  private let secrets: Secrets
  private let depth: Int
  private var output: [UInt8] = []
  private var index = 0
  /// The text itself, and the containers that have not ended, outermost first.
  private var containers = [Container()]

  /// - Parameter depth: The number of texts within which the text is nested.
  init(_ text: String, _ secrets: Secrets, depth: Int) {
    input = Array(text.utf8)
    self.secrets = secrets
    self.depth = depth
    output.reserveCapacity(input.count)
  }

  /// True for a text that begins as JSON does, after a byte order mark or bytes that are not text.
  static func isJSON(_ text: some Collection<UInt8>) -> Bool {
    var rest = text[...]
    while rest.first == 0xEF, rest.count > 2 { rest = rest.dropFirst(3) }
    guard let first = rest.first(where: { $0 > 32 }) else { return false }
    return "{[\"".utf8.contains(first)
  }

  mutating func redacted() -> String {
    while index < input.count {
      switch input[index] {
      case UInt8(ascii: "\""):
        takeString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): containers.append(Container())
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        endValue()
        if containers.count > 1 { containers.removeLast() }
      case UInt8(ascii: ","): endValue()
      default: break
      }
      output.append(input[index])
      index += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private mutating func takeString() {
    let start = index
    let content = skipString()
    let colon = indexAfterSpace(index)
    guard colon < input.count, input[colon] == UInt8(ascii: ":") else { return writeValue(start, content) }
    endValue()
    index = indexAfterSpace(colon + 1)
    // With the space around the colon, so that a body without secrets stays as it is.
    output += input[start..<index]
    let name = Self.decoded(input[content])
    let member = SecretName.comparable(name)
    if Self.namingMembers.contains(member) { takeName() }
    if secrets.isSecret(bodyItem: name) {
      hideValue()
    } else if Self.valueMembers.contains(member) {
      if containers[containers.count - 1].namesSecret {
        hideValue()
      } else {
        containers[containers.count - 1].valueStart = output.count
      }
    }
  }

  /// Looks at the string that begins here, which is the name of another member's value.
  private mutating func takeName() {
    guard index < input.count, input[index] == UInt8(ascii: "\"") else { return }
    let start = index
    let content = skipString()
    index = start
    guard secrets.isNameOfSecret(Self.decoded(input[content])) else { return }
    var container = containers.removeLast()
    container.namesSecret = true
    for value in container.values.reversed() { output.replaceSubrange(value, with: "\"***\"".utf8) }
    container.values = []
    containers.append(container)
  }

  /// Ends the value that may have a secret name.
  private mutating func endValue() {
    let last = containers.count - 1
    guard let start = containers[last].valueStart else { return }
    containers[last].valueStart = nil
    containers[last].values.append(start..<output.count)
  }

  /// Writes a string that is not a key.
  private mutating func writeValue(_ start: Int, _ content: Range<Int>) {
    let text = String(decoding: Self.decoded(input[content]), as: UTF8.self)
    let isURL = text.contains("://") || Self.isRelativeURL(text.utf8)
    if (isURL && secrets.redact(text) != text) || secrets.holdsSecret(text, depth: depth + 1) {
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
        // The others stand for spaces and control characters.
        decoded.append("bfnrt".utf8.contains(escape) ? 32 : escape)
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
