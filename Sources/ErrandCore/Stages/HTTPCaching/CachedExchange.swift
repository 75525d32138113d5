#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The facts about a cached response that HTTP's caching rules need. A store keeps them unchanged.
public struct CachedExchange: Codable, Sendable, Hashable {
  /// The part of the content that an incomplete response has.
  struct Part: Codable, Sendable, Hashable {
    /// The position of the first byte.
    let start: Int64
    /// The length of the complete content.
    let total: Int64
  }

  /// The age of the response when it arrived, in seconds.
  var initialAge: Double
  /// The values of the request fields that `Vary` names, in the order of `Vary.names`: those of each request that
  /// selects the response.
  var selecting: [[String?]] = []
  /// True if the response must be validated before it is used again.
  var isInvalid = false
  /// Nil for a complete response.
  var part: Part?
}

/// The meaning of a stored response's header fields for the cache, read once.
final class StoredRules: Sendable {
  let control: CacheControl
  let vary: Vary
  /// The fields that must not be delivered without asking the server.
  let heldBack: [String]

  init(_ fields: HTTPFields) {
    control = CacheControl(fields)
    vary = Vary(fields)
    heldBack = control.fieldNames(of: "no-cache")
  }
}

extension CachedResponse {
  /// The fields of one connection (RFC 9111, section 3.1), which are not stored.
  private static let ofTheConnection: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Creates the stored form of a response to a GET, by HTTP's rules. Its fields may hold secrets: see `open`.
  /// - Parameter date: When the response arrived.
  init(
    _ head: ResponseHead, body: CachedBody, from url: URL, exchange: CachedExchange, date: Date,
    secrets: Secrets
  ) {
    self.init(
      status: head.status, lasting: Self.lasting(head.fields), body: body, url: url, date: date,
      secrets: secrets)
    self.exchange = exchange
  }

  /// Returns the response without the fields that hold secrets, such as `Set-Cookie`; nil for a redirect whose target
  /// is a secret.
  func open(_ secrets: Secrets) -> CachedResponse? {
    guard fields.contains(where: secrets.hides) else { return self }
    var open = fields
    open.remove(where: secrets.hides)
    if status.isRedirect, !open.contains("Location") { return nil }
    var copy = CachedResponse(
      status: status, lasting: open, body: body, url: url, date: date, secrets: secrets)
    copy.exchange = exchange
    return copy
  }

  /// Returns the fields without those of the connection.
  static func lasting(_ fields: HTTPFields) -> HTTPFields {
    var lasting = fields
    let listed = fields.values(of: "Connection").flatMap { $0.split(separator: ",") }
      .map { ASCII.lowercased(ASCII.trimmed($0)) }
    lasting.remove { field in
      let name = ASCII.lowercased(field.name)
      return ofTheConnection.contains(name) || listed.contains(name)
    }
    return lasting
  }

  /// True if the server can be asked whether the response is still valid.
  var hasValidator: Bool { fields.contains("ETag") || fields.contains("Last-Modified") }

  /// True if the response's validator tells every version from every other.
  var hasStrongTag: Bool { fields["ETag"].map(IfRange.isStrongTag) ?? false }

  /// Returns the response with the fields of a newer one about the same content (RFC 9111, section 3.2): a 304, a
  /// response to HEAD, or another part.
  func updated(by news: HTTPFields, date: Date, initialAge: TimeInterval, secrets: Secrets) -> CachedResponse
  {
    var updated = CachedResponse(
      status: status, lasting: merged(with: Self.lasting(news)), body: body, url: url, date: date,
      secrets: secrets)
    updated.exchange = exchange
    updated.exchange?.initialAge = initialAge
    updated.exchange?.isInvalid = false
    return updated
  }

  /// Returns the response marked so that it is validated before its next use.
  var invalidated: CachedResponse {
    var copy = self
    copy.exchange?.isInvalid = true
    return copy
  }
}
