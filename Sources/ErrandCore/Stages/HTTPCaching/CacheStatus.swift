/// The action of the HTTP cache for a response, and its reason, in the words of `Cache-Status` (RFC 9211).
///
/// ```swift
/// let response = try await client.send(.get(url).cached())
/// print(response.cacheStatus!)   // Errand; hit; ttl=57; detail="fresh"
/// ```
public struct CacheStatus: Sendable, Hashable {
  /// Why a request was forwarded to the server.
  public enum Forward: String, Sendable, Hashable {
    /// The request, or the client, does not let the cache respond.
    case bypass
    /// The method is not GET or HEAD.
    case method
    /// No response of this URL is stored.
    case uriMiss = "uri-miss"
    /// Only responses to other values of the fields in `Vary` are stored.
    case varyMiss = "vary-miss"
    /// A response is stored, but it cannot be used.
    case miss
    /// The request's own `Cache-Control` asks for validation.
    case request
    /// The stored response is stale.
    case stale
    /// Only a part of the content is stored, and not the part that the request asks for.
    case partial
  }

  /// True if the response came from the cache without a request to the server.
  public package(set) var isHit = false
  /// Why the request was forwarded to the server; nil for a hit.
  public package(set) var forward: Forward?
  /// The status of the server's response, such as 304 after a validation; nil if the server was not asked.
  public package(set) var forwardStatus: HTTPStatus?
  /// True if the server's response was stored.
  public package(set) var isStored = false
  /// True if the request waited for another one, which asked the server for both.
  public package(set) var isCollapsed = false
  /// How long the response is still fresh, by the cache's clock; negative for a stale one. Nil if it is not stored.
  public package(set) var timeToLive: Duration?
  /// The reason for the decision, in words.
  public package(set) var detail: String?

  package init(hit timeToLive: Duration, _ detail: String) {
    isHit = true
    self.timeToLive = timeToLive
    self.detail = detail
  }

  package init(_ forward: Forward, _ detail: String? = nil) {
    self.forward = forward
    self.detail = detail
  }
}

extension CacheStatus: CustomStringConvertible {
  /// The value of a `Cache-Status` field, such as `Errand; fwd=stale; fwd-status=304; stored; ttl=60`.
  public var description: String {
    var text = "Errand"
    if isHit { text += "; hit" }
    if let forward { text += "; fwd=\(forward.rawValue)" }
    if let forwardStatus { text += "; fwd-status=\(forwardStatus.code)" }
    if isStored { text += "; stored" }
    if isCollapsed { text += "; collapsed" }
    if let timeToLive { text += "; ttl=\(timeToLive.components.seconds)" }
    if let detail { text += "; detail=\"\(detail.filter { $0 != "\"" && $0 != "\\" })\"" }
    return text
  }
}
