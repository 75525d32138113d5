#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Extracts a server's explanation of a rejection from the first part of the response's body, as one line
/// that is safe to show. Pure.
///
/// For a JSON object it is the explanation by RFC 9457 or by convention; for an HTML page its title, or its
/// text if it has no title. Each secret that is recognized by name is replaced by `***`.
package struct ServerWords: Sendable {
  /// The maximum number of characters.
  package static let longest = 200
  /// The maximum number of bytes that are read.
  private static let mostBytes = 8 << 10
  /// The keys of explanations, in order of preference.
  private static let explanations = ["detail", "message", "error_description", "error", "title", "reason"]

  let secrets: Secrets

  package init(secrets: Secrets) { self.secrets = secrets }

  /// Returns the line; nil if the body has no readable text.
  /// - Parameters:
  ///   - body: The body, or its first part.
  ///   - type: The value of `Content-Type`.
  ///   - isWhole: False if `body` is only the first part.
  package func words(_ body: Data, _ type: String?, isWhole: Bool) -> String? {
    let bytes = body.prefix(Self.mostBytes)
    guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
    let isAll = isWhole && bytes.count == body.count
    var text = (isAll ? Self.explanation(in: body) : nil) ?? String(decoding: bytes, as: UTF8.self)
    let isPage = type.map { ASCII.lowercased($0).contains("html") } ?? false
    if isPage || text.drop(while: \.isWhitespace).first == "<" {
      text = Self.title(ofPage: text) ?? Self.text(ofPage: text)
    }
    let line = Self.line(text)
    guard !line.isEmpty, line.unicodeScalars.count(where: { $0 == "\u{FFFD}" }) * 10 <= line.count else {
      return nil
    }
    // Redacted before it is shortened, because half a secret is secret as well.
    let shown = redacted(line)
    return shown.count > Self.longest ? shown.prefix(Self.longest) + "…" : shown
  }

  /// Returns the clause with the server's words, to append to a reason.
  package static func clause(_ words: String) -> String { "; it says: \(words)" }

  // MARK: Finding

  private static func explanation(in body: Data) -> String? {
    guard let parts = try? JSONDecoder().decode([String: Part].self, from: body) else { return nil }
    return explanations.lazy.compactMap { parts[$0]?.text }.first { !$0.isEmpty }
  }

  /// A text, or an object that contains an explanation; `text` is nil for anything else.
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

  /// Returns the title of the page; nil if it has none.
  private static func title(ofPage page: String) -> String? {
    let lowercased = ASCII.lowercased(page)
    guard let tag = lowercased.firstRange(of: "<title"),
      let start = lowercased[tag.upperBound...].firstIndex(of: ">"),
      let end = lowercased[start...].firstRange(of: "</title")
    else { return nil }
    // Lowercasing ASCII changes no index.
    let title = page[page.index(after: start)..<end.lowerBound]
    return title.allSatisfy(\.isWhitespace) ? nil : String(title)
  }

  /// Returns the page without its tags, scripts, styles and head.
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

  /// Returns the text as one line, in which characters that move a cursor or change the writing direction are
  /// escaped.
  private static func line(_ text: String) -> String {
    LogText.line(text.drop { $0 == "\u{FEFF}" }.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  // MARK: Hiding

  /// The state that decides whether the next words are part of a secret.
  private enum Hiding {
    case nothing
    /// The next word is a secret, or begins one. Schemes and punctuation may stand before it.
    case value
    /// All words up to the end of the quotation are part of a secret.
    case quotation(Character)
  }

  /// Replaces values after the names of secrets or schemes by `***`, and hides secrets in URLs.
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

  /// Returns the word without surrounding punctuation. A name in an echoed URL may be percent-encoded.
  private func bare(_ word: Substring) -> String {
    let isSign = { (character: Character) in
      !character.isLetter && !character.isNumber && character != "%"
    }
    return String(word.drop(while: isSign).reversed().drop(while: isSign).reversed())
  }

  /// Returns the state after a word that is a secret, or begins one.
  private func quotation(_ value: Substring) -> Hiding {
    guard let mark = value.first, "\"'".contains(mark), !value.dropFirst().contains(mark) else {
      return .nothing
    }
    return .quotation(mark)
  }

  /// Redacts `name=value`, `"name":"value"` and URLs. After `name:`, `"name":`, `name=` and schemes, the next
  /// word is the value.
  private func redacted(word: Substring) -> (String, Hiding) {
    if isScheme(word, Self.schemes.prefix(2)) { return (String(word), .value) }
    // A server may quote the request's URL, with names in any encoding.
    let text = word.contains("://") ? secrets.redactAnything(String(word)) : secrets.redact(String(word))
    var start = text.startIndex
    for index in text.indices {
      if ",;{}[]()&?".contains(text[index]) { start = text.index(after: index) }
      guard ":=".contains(text[index]), isSecret(bare(text[start..<index])) else { continue }
      let value = text[text.index(after: index)...]
      if value.hasPrefix("//") { continue }
      // The next word may still belong to the secret.
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
    return secrets.secretPart(of: "?\(name)=x") != nil
      || secrets.covers(HTTPFields.Field(name, "x"))
  }
}
