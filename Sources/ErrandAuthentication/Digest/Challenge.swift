import ErrandCore

/// A challenge of `WWW-Authenticate` or `Proxy-Authenticate` (RFC 9110, section 11.3).
struct Challenge: Sendable, Hashable {
  /// In lower case.
  let scheme: String
  /// The values by name, in lower case. A repeated parameter makes the challenge invalid.
  private(set) var parameters: [String: String] = [:]
  /// The text that some schemes have instead of parameters.
  private(set) var token68: String?

  /// Parses the values of the field's lines. One line may have several challenges. A challenge that cannot be
  /// parsed ends the list of its line.
  static func all(in values: [String]) -> [Challenge] {
    values.flatMap { value in
      var parser = Parser(value)
      return parser.challenges()
    }
  }

  private init(scheme: String) { self.scheme = scheme }

  /// Reads one line from its beginning to its end.
  private struct Parser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func challenges() -> [Challenge] {
      var found: [Challenge] = []
      skip(separators: true)
      while let scheme = token() {
        var challenge = Challenge(scheme: ASCII.lowercased(scheme))
        guard take(parametersOf: &challenge) else { break }
        found.append(challenge)
        skip(separators: true)
      }
      return found
    }

    private mutating func take(parametersOf challenge: inout Challenge) -> Bool {
      guard index < bytes.count, isSpace(bytes[index]) else {
        return index == bytes.count || bytes[index] == comma
      }
      skip(separators: false)
      let start = index
      if let text = token68() {
        challenge.token68 = text
        return true
      }
      index = start
      while true {
        let before = index
        guard let name = token() else { return true }
        skip(separators: false)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
          // The token is the next challenge's scheme.
          index = before
          return !challenge.parameters.isEmpty
        }
        index += 1
        skip(separators: false)
        guard let value = quoted() ?? token(),
          challenge.parameters.updateValue(value, forKey: ASCII.lowercased(name)) == nil
        else { return false }
        skip(separators: false)
        guard index < bytes.count else { return true }
        guard bytes[index] == comma else { return false }
        skip(separators: true)
      }
    }

    private let comma = UInt8(ascii: ",")

    private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    private mutating func skip(separators: Bool) {
      while index < bytes.count, isSpace(bytes[index]) || (separators && bytes[index] == comma) { index += 1 }
    }

    private mutating func token() -> String? {
      let start = index
      while index < bytes.count, ASCII.isTokenByte(bytes[index]) { index += 1 }
      return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a `token68`, which ends the challenge.
    private mutating func token68() -> String? {
      let start = index
      while index < bytes.count, Self.isToken68(bytes[index]) { index += 1 }
      let end = index
      while index < bytes.count, bytes[index] == UInt8(ascii: "=") { index += 1 }
      let text = bytes[start..<index]
      skip(separators: false)
      guard start < end, index == bytes.count || bytes[index] == comma else { return nil }
      return String(decoding: text, as: UTF8.self)
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
      switch byte {
      case 48...57, 65...90, 97...122: true
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
        UInt8(ascii: "/"):
        true
      default: false
      }
    }

    private mutating func quoted() -> String? {
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
      var text: [UInt8] = []
      var next = index + 1
      while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
        if bytes[next] == UInt8(ascii: "\\") { next += 1 }
        guard next < bytes.count else { return nil }
        text.append(bytes[next])
        next += 1
      }
      guard next < bytes.count else { return nil }
      index = next + 1
      return String(decoding: text, as: UTF8.self)
    }
  }
}
