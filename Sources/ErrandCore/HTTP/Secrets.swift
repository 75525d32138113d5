/// What must not be shown: names of fields and of query items whose values are secret.
///
/// `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and the user and password of a URL are secret
/// always; a client's `secrets` adds to them.
public struct Secrets: Sendable, Hashable {
  /// Names of fields, in any case.
  public var fields: Set<String>
  /// Names of query items, in any case.
  public var queryItems: Set<String>

  public init(fields: Set<String> = [], queryItems: Set<String> = Self.commonQueryItems) {
    self.fields = fields
    self.queryItems = queryItems
  }

  /// Query items that carry credentials by custom.
  public static let commonQueryItems: Set<String> = [
    "access_token", "api_key", "apikey", "key", "password", "secret", "sig", "signature", "token",
  ]

  package static let standard = Secrets()

  package func covers(_ field: HTTPFields.Field) -> Bool {
    field.isSecret || fields.contains { ASCII.equalIgnoringCase($0, field.name) }
  }

  /// The URL with `***` in the place of its secrets. Works on any text, so that a malformed URL shows none either.
  func redact(_ url: String) -> String {
    // Most have neither.
    guard url.utf8.contains(where: { "@?#".utf8.contains($0) }) else { return url }
    return redactItems(redactUser(url))
  }

  /// The first item of the URL's query or fragment whose value is secret, by its name.
  package func secretItem(in url: String) -> String? {
    guard let mark = firstMark(in: url) else { return nil }
    for item in url[mark...].split(whereSeparator: { "?&#".contains($0) }) {
      guard let name = secretName(of: item) else { continue }
      return name
    }
    return nil
  }

  /// The same for text that is no URL: a password may be anywhere before its last `@`.
  package func redactAnything(_ text: String) -> String {
    let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
    guard let at = text[start...].lastIndex(of: "@") else { return redact(text) }
    return redact(text[..<start] + "***" + text[at...])
  }

  private func redactUser(_ url: String) -> String {
    guard let authority = url.firstRange(of: "//")?.upperBound else { return url }
    let end = url[authority...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard let at = url[authority..<end].lastIndex(of: "@") else { return url }
    return url[..<authority] + "***" + url[at...]
  }

  /// The query, and the fragment, which some hand tokens over in.
  private func redactItems(_ url: String) -> String {
    guard !queryItems.isEmpty, let mark = firstMark(in: url) else { return url }
    let shown = url[mark...].split(separator: "&", omittingEmptySubsequences: false).map { part in
      part.split(separator: "#", omittingEmptySubsequences: false).map(redactItem).joined(separator: "#")
    }
    return url[..<mark] + shown.joined(separator: "&")
  }

  /// Where the query begins, or the fragment.
  private func firstMark(in url: String) -> String.Index? { url.utf8.firstIndex(where: "?#".utf8.contains) }

  private func redactItem(_ item: Substring) -> String {
    guard let equals = item.firstIndex(of: "="), secretName(of: item) != nil else { return String(item) }
    return item[...equals] + "***"
  }

  /// The item's name, if its value is secret.
  private func secretName(of item: Substring) -> String? {
    guard let equals = item.firstIndex(of: "=") else { return nil }
    let name = String(item[..<equals].drop { $0 == "?" })
    return queryItems.contains { ASCII.equalIgnoringCase($0, name) } ? name : nil
  }
}
