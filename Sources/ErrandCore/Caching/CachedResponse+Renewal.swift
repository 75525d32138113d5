#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CachedResponse {
  /// The fields of a 304 that describe its connection or its own body, not the cached response, which was
  /// decoded.
  private static let ofTheMessage = [
    "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Keep-Alive",
    "Proxy-Authenticate", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
  ]

  /// Returns this response updated with the fields of a 304 (RFC 9111, section 4.3.4); nil if the 304 is
  /// about another response.
  /// - Parameter asked: The header fields of the request.
  func renewed(
    by news: HTTPFields, to asked: HTTPFields, date: Date, secrets: Secrets
  ) -> CachedResponse? {
    guard isMeant(by: news, to: asked) else { return nil }
    let fresh = news.filter { field in
      !Self.ofTheMessage.contains { ASCII.equalIgnoringCase($0, field.name) }
    }
    var fields = self.fields
    fields.remove { old in fresh.contains { ASCII.equalIgnoringCase($0.name, old.name) } }
    for field in fresh { fields.append(field.name, field.value, isSecret: field.isSecret) }
    return CachedResponse(
      status: status, fields: fields, data: data, url: url, date: date, secrets: secrets)
  }

  /// Compares the validators that the 304 names; if it names none, those that the request asked about.
  private func isMeant(by news: HTTPFields, to asked: HTTPFields) -> Bool {
    if let tag = news["ETag"] { return fields["ETag"].map { Self.isSame($0, tag) } ?? false }
    let modified = fields["Last-Modified"]
    if let named = news["Last-Modified"] { return modified == named }
    let tags = asked.values(of: "If-None-Match").flatMap(Self.tags)
    if !tags.isEmpty { return fields["ETag"].map { tag in tags.contains { Self.isSame($0, tag) } } ?? false }
    return modified != nil && modified == asked["If-Modified-Since"]
  }

  /// Compares weakly, which is enough for a cache (RFC 9110, section 8.8.3.2).
  private static func isSame(_ one: String, _ other: String) -> Bool {
    func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
    return opaque(one) == opaque(other)
  }

  /// Splits a list of entity tags; commas inside quotes do not separate them.
  private static func tags(_ list: String) -> [String] {
    var tags = [""]
    var isQuoted = false
    for character in list {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted { tags.append("") } else { tags[tags.count - 1].append(character) }
    }
    return tags.map(ASCII.trimmed).filter { !$0.isEmpty }
  }
}
