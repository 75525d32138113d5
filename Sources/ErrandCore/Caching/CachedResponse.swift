#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cached response. Its header fields and its URL hold no secret; its body is as it was received.
public struct CachedResponse: Sendable, Hashable {
  public let status: Status
  /// The header fields without `Set-Cookie` and other secrets.
  public let fields: HTTPFields
  public let data: Data
  /// The URL that the response came from, with `***` in the place of its secrets.
  public let url: URL
  /// When the response was cached, by the wall clock.
  public let date: Date

  /// - Parameter secrets: Additional secrets, besides the standard ones. Default: none.
  public init(
    status: Status, fields: HTTPFields, data: Data, url: URL, date: Date, secrets: Secrets = Secrets()
  ) {
    var open = fields
    open.remove(where: secrets.hides)
    self.status = status
    self.fields = open
    self.data = data
    self.url = Self.withoutSecrets(url, secrets)
    self.date = date
  }

  /// Creates the cached form of a response; nil if it cannot stand alone (a part, a 304), its body is not in
  /// memory, or it forbids caching (`Cache-Control: no-store`).
  public init?(_ response: Response, date: Date, secrets: Secrets = Secrets()) {
    guard case .data(let data) = response.body, response.status != 206, response.status != 304,
      !response.fields.forbidStoring
    else { return nil }
    self.init(
      status: response.status, fields: response.fields, data: data, url: response.url, date: date,
      secrets: secrets)
  }

  /// The response, as it would come from the network, with no timing.
  public var response: Response {
    var response = Response(status: status, fields: fields, data: data, url: url)
    response.cachedAt = date
    return response
  }

  /// Returns the time since the response was cached; negative if the clock has been set back since.
  public func age(at now: Date) -> Duration {
    let limit = Duration.longest.seconds
    return .seconds(max(-limit, min(now.timeIntervalSince(date), limit)))
  }

  /// Returns the number of bytes that it takes in memory under this key: body, fields, URL and key.
  func size(under key: CacheKey) -> Int {
    fields.reduce(data.count + url.absoluteString.utf8.count) { size, field in
      size + field.name.utf8.count + field.value.utf8.count
    } + key.name.utf8.count + key.partition.description.utf8.count
  }

  private static func withoutSecrets(_ url: URL, _ secrets: Secrets) -> URL {
    let text = url.absoluteString
    let shown = secrets.redact(text)
    if shown == text { return url.absoluteURL }
    if let open = URL(string: shown) { return open }
    // Rather too short a URL than one with a secret.
    var bare = URLComponents()
    bare.scheme = url.scheme
    bare.host = url.host()
    bare.port = url.port
    return bare.url ?? URL(filePath: "/")
  }
}
