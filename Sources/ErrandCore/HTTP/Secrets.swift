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

  static let standard = Secrets()

  func covers(_ field: HTTPFields.Field) -> Bool {
    field.isSecret || fields.contains { ASCII.equalIgnoringCase($0, field.name) }
  }

  /// The URL with `***` in the place of its secrets. Works on any text, so that a malformed URL shows none either.
  func redact(_ url: String) -> String {
    // Most have neither.
    guard url.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }) else { return url }
    return redactQuery(redactUser(url))
  }

  private func redactUser(_ url: String) -> String {
    guard let authority = url.firstRange(of: "//")?.upperBound else { return url }
    let end = url[authority...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard let at = url[authority..<end].lastIndex(of: "@") else { return url }
    return url[..<authority] + "***" + url[at...]
  }

  private func redactQuery(_ url: String) -> String {
    guard !queryItems.isEmpty, let question = url.firstIndex(of: "?") else { return url }
    let fragment = url[question...].firstIndex(of: "#") ?? url.endIndex
    let items = url[url.index(after: question)..<fragment].split(
      separator: "&", omittingEmptySubsequences: false)
    let shown = items.map { item -> String in
      guard let equals = item.firstIndex(of: "="),
        queryItems.contains(where: { ASCII.equalIgnoringCase($0, String(item[..<equals])) })
      else { return String(item) }
      return item[...equals] + "***"
    }
    return url[...question] + shown.joined(separator: "&") + url[fragment...]
  }
}
