#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The description of one cached response, as `ResponseCache.list` returns it.
public struct CacheEntry: Sendable, Hashable {
  public let key: CacheKey
  public let status: Status
  /// The URL that the response came from, without its secrets.
  public let url: URL
  /// When the response was cached, by the wall clock.
  public let date: Date
  /// The response's share of the store's limit, in bytes.
  public let size: Int

  public init(key: CacheKey, status: Status, url: URL, date: Date, size: Int) {
    self.key = key
    self.status = status
    self.url = url
    self.date = date
    self.size = size
  }
}
