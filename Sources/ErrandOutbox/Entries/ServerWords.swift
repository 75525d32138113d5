import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a server says about a refusal: the first part of its response's body, as one line that is safe to show. Pure.
///
/// Of a JSON object that is its explanation, if it has one by custom or by RFC 9457; of a page its text.
struct ServerWords: Sendable {
  /// No more characters are shown.
  static let longest = 200
  /// No more bytes are looked at.
  private static let mostBytes = 8 << 10
  /// Where an explanation is, the best first.
  private static let explanations = ["detail", "message", "error_description", "error", "title", "reason"]

  let secrets: Secrets

  /// Nil if it says nothing that can be read.
  func words(_ answer: OutboxAnswer) -> String? {
    let bytes = answer.body.prefix(Self.mostBytes)
    guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
    var text = explanation(answer) ?? String(decoding: bytes, as: UTF8.self)
    let type = answer.fields["Content-Type"].map(ASCII.lowercased) ?? ""
    if type.contains("html") || text.drop(while: \.isWhitespace).first == "<" {
      text = Self.text(ofPage: text)
    }
    let line = Self.line(text)
    guard !line.isEmpty, line.unicodeScalars.count(where: { $0 == "\u{FFFD}" }) * 10 <= line.count else {
      return nil
    }
    // Before it is cut: half a secret is one, too.
    let shown = redacted(line)
    return shown.count > Self.longest ? shown.prefix(Self.longest) + "…" : shown
  }

  // MARK: Finding

  private func explanation(_ answer: OutboxAnswer) -> String? {
    guard answer.isWhole, answer.body.count <= Self.mostBytes,
      let parts = try? JSONDecoder().decode([String: Part].self, from: answer.body)
    else { return nil }
    return Self.explanations.lazy.compactMap { parts[$0]?.text }.first { !$0.isEmpty }
  }

  /// A text, or an object with an explanation in it; everything else is none.
  private struct Part: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.text = text
      } else if let inner = try? container.decode([String: Leaf].self) {
        text = ServerWords.explanations.lazy.compactMap { inner[$0]?.text }.first
      } else {
        text = nil
      }
    }
  }

  private struct Leaf: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
      text = try? decoder.singleValueContainer().decode(String.self)
    }
  }

  /// Without its tags, and without what is no text for a reader.
  private static func text(ofPage page: String) -> String {
    var text = ""
    var rest = Substring(page)
    while let start = rest.firstIndex(of: "<") {
      text += rest[..<start] + " "
      rest = rest[start...]
      let name = ASCII.lowercased(String(rest.dropFirst().prefix { $0.isLetter }))
      if ["script", "style", "head"].contains(name), let end = rest.firstRange(of: "</" + name) {
        rest = rest[end.upperBound...]
      }
      guard let end = rest.firstIndex(of: ">") else { return text }
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }

  /// One line: nothing that moves a cursor or turns the direction of writing.
  private static func line(_ text: String) -> String {
    var line = ""
    var isSpace = false
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
        .unassigned:
        isSpace = true
      default:
        if isSpace, !line.isEmpty { line.append(" ") }
        isSpace = false
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  // MARK: Hiding

  /// Whether the words that come next are part of a secret.
  private enum Hiding {
    case nothing
    /// The next word is one, or begins one; schemes and signs may stand before it.
    case value
    /// All up to the end of the quotation.
    case quotation(Character)
  }

  /// With `***` in the place of what secret names and schemes stand in front of, and of what is secret in URLs.
  private func redacted(_ line: String) -> String {
    var shown: [String] = []
    var hiding = Hiding.nothing
    var isBehindName = false
    for word in line.split(separator: " ") {
      switch hiding {
      case .quotation(let mark):
        if word.contains(mark) { hiding = .nothing }
      case .value where isScheme(word, Self.schemes) || bare(word).isEmpty:
        shown.append(String(word))
      case .value:
        shown.append("***")
        hiding = quotation(word)
      case .nothing where isBehindName && (word == "=" || word == ":"):
        shown.append(String(word))
        hiding = .value
      case .nothing:
        let (text, next) = redacted(word: word)
        shown.append(text)
        hiding = next
      }
      isBehindName = isSecret(bare(word))
    }
    return shown.joined(separator: " ")
  }

  private static let schemes = ["Basic", "Bearer", "Digest", "Token", "DPoP"]

  private func isScheme(_ word: Substring, _ schemes: some Sequence<String>) -> Bool {
    let name = bare(word)
    return schemes.contains { ASCII.equalIgnoringCase($0, name) }
  }

  private func bare(_ word: Substring) -> String {
    String(
      word.drop { !$0.isLetter && !$0.isNumber }.reversed().drop { !$0.isLetter && !$0.isNumber }.reversed())
  }

  /// What comes behind a word that is part of a secret, or begins one.
  private func quotation(_ value: Substring) -> Hiding {
    guard let mark = value.first, "\"'".contains(mark), !value.dropFirst().contains(mark) else {
      return .nothing
    }
    return .quotation(mark)
  }

  /// `name=value`, `"name":"value"`, URLs; and of `name:`, `"name":`, `name=` and schemes, that the value is the next word.
  private func redacted(word: Substring) -> (String, Hiding) {
    if isScheme(word, Self.schemes.prefix(2)) { return (String(word), .value) }
    let text = word.contains("://") ? secrets.redactAnything(String(word)) : String(word)
    var start = text.startIndex
    for index in text.indices {
      if ",;{}[]()&?".contains(text[index]) { start = text.index(after: index) }
      guard ":=".contains(text[index]), isSecret(bare(text[start..<index])) else { continue }
      let value = text[text.index(after: index)...]
      if value.hasPrefix("//") { continue }
      // Whatever follows may belong to it.
      if isScheme(value, Self.schemes) || bare(value).isEmpty, !value.hasPrefix("***") {
        return (text, .value)
      }
      let end = text.hasPrefix("(") && text.hasSuffix(")") ? ")" : ""
      return (text[...index] + "***" + end, quotation(value))
    }
    return (text, .nothing)
  }

  private func isSecret(_ name: String) -> Bool {
    guard !name.isEmpty else { return false }
    return secrets.secretItem(in: "?\(name)=x") != nil
      || secrets.covers(HTTPFields.Field(name, "x"))
  }
}
