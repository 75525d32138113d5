#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cached response. Its header fields and its URL hold no secret. Its body is stored as it was received.
public struct CachedResponse: Sendable, Hashable {
  /// The status of the response.
  public let status: HTTPStatus
  /// The header fields without `Set-Cookie` and other secrets.
  public let fields: HTTPFields
  /// The body. Empty for a large body that the store has left in its file.
  public var data: Data { body.inMemory ?? Data() }
  package let body: CachedBody
  /// The URL that the response came from, with `***` in place of its secrets.
  public let url: URL
  /// When the response was cached, by the wall clock.
  public let date: Date
  /// The facts that HTTP's caching rules need, for a store to keep; nil for a response that was cached under a
  /// name.
  public var exchange: CachedExchange? {
    get { known?.exchange }
    set { known = newValue.map { (exchange: $0, rules: known?.rules ?? StoredRules(fields)) } }
  }
  private var known: (exchange: CachedExchange, rules: StoredRules)?
  /// The meaning of the header fields for the HTTP cache.
  var rules: StoredRules { known?.rules ?? StoredRules(fields) }

  public static func == (left: CachedResponse, right: CachedResponse) -> Bool {
    left.status == right.status && left.fields == right.fields && left.body == right.body
      && left.url == right.url
      && left.date == right.date && left.exchange == right.exchange
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(status)
    hasher.combine(fields)
    hasher.combine(body)
    hasher.combine(url)
    hasher.combine(date)
  }

  /// Creates a cached response, and removes secrets from its fields and its URL.
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - fields: The header fields. Those with secrets, such as `Set-Cookie`, are left out.
  ///   - data: The body.
  ///   - url: The URL that the response came from.
  ///   - date: When the response was cached, by the wall clock.
  ///   - secrets: Additional secrets, besides the standard ones. Default: none.
  public init(
    status: HTTPStatus, fields: HTTPFields, data: Data, url: URL, date: Date, secrets: Secrets = Secrets()
  ) {
    var open = fields
    open.remove(where: secrets.hides)
    self.init(
      status: status, lasting: open, body: CachedBody(data), url: url, date: date, secrets: secrets)
  }

  /// - Parameter fields: The header fields, which are not changed.
  init(
    status: HTTPStatus, lasting fields: HTTPFields, body: CachedBody, url: URL, date: Date, secrets: Secrets
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = Self.withoutSecrets(url, secrets)
    self.date = date
  }

  /// Creates the cached form of a response. Returns nil if the response cannot stand alone (a part, a 304),
  /// its status is that of a server in trouble (5xx, 429), its body is not in memory, or it forbids caching
  /// (`Cache-Control: no-store`).
  package init?(_ response: Response, date: Date, secrets: Secrets = Secrets()) {
    guard case .data(let data) = response.body, response.status != 206, response.status != 304,
      response.status.mayBeCached, !response.fields.forbidStoring
    else { return nil }
    self.init(
      status: response.status, fields: response.fields, data: data, url: response.url, date: date,
      secrets: secrets)
  }

  /// The response in the form in which the network would deliver it, without timing.
  package var response: Response {
    var response = Response(status: status, fields: fields, data: data, url: url)
    response.cachedAt = date
    return response
  }

  /// Returns the time since the response was cached; negative if the clock has been set back since.
  package func age(at now: Date) -> Duration {
    let limit = Duration.longest.seconds
    return .seconds(max(-limit, min(now.timeIntervalSince(date), limit)))
  }

  /// Returns the number of bytes that the response takes in memory under this key: body, fields, URL and key.
  func size(under key: CacheKey) -> Int {
    fields.reduce(Int(body.count) + url.absoluteString.utf8.count) { size, field in
      size + field.name.utf8.count + field.value.utf8.count
    } + key.name.utf8.count + key.partition.description.utf8.count
  }

  /// Returns the response with another body.
  func with(_ body: CachedBody) -> CachedResponse {
    var copy = CachedResponse(
      status: status, lasting: fields, body: body, url: url, date: date, secrets: .standard)
    copy.exchange = exchange
    return copy
  }

  private static func withoutSecrets(_ url: URL, _ secrets: Secrets) -> URL {
    let text = url.absoluteString
    let shown = secrets.redact(text)
    if shown == text { return url.absoluteURL }
    if let open = URL(string: shown) { return open }
    // A URL that is too short is better than one with a secret.
    var bare = URLComponents()
    bare.scheme = url.scheme
    bare.host = url.host()
    bare.port = url.port
    return bare.url ?? URL(filePath: "/")
  }
}

extension HTTPStatus {
  /// False for the statuses of a server in trouble (5xx, 429), which say nothing about the resource.
  var mayBeCached: Bool { !isServerError && code != 429 }
}

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
    return CachedResponse(
      status: status, fields: merged(with: news), data: data, url: url, date: date, secrets: secrets)
  }

  /// Returns this response's fields, with those of a newer response about the same content.
  func merged(with news: HTTPFields) -> HTTPFields {
    let fresh = news.filter { field in
      !Self.ofTheMessage.contains { ASCII.equalIgnoringCase($0, field.name) }
    }
    var fields = self.fields
    fields.remove { old in fresh.contains { ASCII.equalIgnoringCase($0.name, old.name) } }
    for field in fresh { fields.append(field.name, field.value, isSecret: field.isSecret) }
    return fields
  }

  /// Compares the validators that the 304 names. If it names none, compares those of the request's
  /// conditions.
  private func isMeant(by news: HTTPFields, to asked: HTTPFields) -> Bool {
    if let tag = news["ETag"] { return fields["ETag"].map { Self.isSame($0, tag) } ?? false }
    let modified = fields["Last-Modified"]
    if let named = news["Last-Modified"] { return modified.map { ASCII.areSame($0, named) } ?? false }
    let tags = asked.values(of: "If-None-Match").flatMap(Self.tags)
    if !tags.isEmpty { return fields["ETag"].map { tag in tags.contains { Self.isSame($0, tag) } } ?? false }
    guard let modified, let since = asked["If-Modified-Since"] else { return false }
    return ASCII.areSame(modified, since)
  }

  /// Compares weakly, which is enough for a cache (RFC 9110, section 8.8.3.2).
  static func isSame(_ one: String, _ other: String) -> Bool {
    func opaque(_ tag: String) -> Substring.UTF8View {
      tag.utf8.starts(with: "W/".utf8) ? tag.utf8.dropFirst(2) : tag.utf8[...]
    }
    return opaque(one).elementsEqual(opaque(other))
  }

  /// Splits a list of entity tags; commas inside quotes do not separate them.
  static func tags(_ list: String) -> [String] {
    var tags = [""]
    var isQuoted = false
    for character in list {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted { tags.append("") } else { tags[tags.count - 1].append(character) }
    }
    return tags.map(ASCII.trimmed).filter { !$0.isEmpty }
  }
}
