#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store of cached responses. `ResponseCacheConformance` in ErrandConformance is the suite that every store
/// must pass.
///
/// A response is read whole, as it was written, or not at all; a lost or damaged one is nil and not an error.
/// A store never blocks the calling thread for longer than a memory access takes. A request waits at most 5 s
/// for the store, and then proceeds as if the store had failed: the read found nothing, or the write cached
/// nothing.
public protocol ResponseCache: Sendable {
  /// Returns random bytes of the store's own, with which partitions are salted. They stay the same for as
  /// long as the store keeps responses.
  func salt() async throws -> Data

  /// Returns the cached response of this key, or nil. Counts as a use of it.
  func read(_ key: CacheKey) async throws -> CachedResponse?

  /// Caches a response, replacing an older one, and evicts the least recently used if it needs the space. A
  /// response that is too large for the store is not cached; the older one is removed all the same, because
  /// it is out of date.
  func write(_ response: CachedResponse, under key: CacheKey) async throws

  /// Removes a response, if there is one.
  func remove(_ key: CacheKey) async throws

  /// Returns all entries, in no particular order. Does not count as a use.
  func list() async throws -> [CacheEntry]

  /// Removes all responses.
  func clear() async throws
}

extension ResponseCache {
  /// Returns the cache key of a request. Asks for the salt only if something sets the request apart.
  ///
  /// - Parameters:
  ///   - name: The name that the response is cached under.
  ///   - method: The request's method. Default: GET.
  ///   - fields: The request's header fields.
  ///   - url: The request's URL.
  ///   - user: The identity that the request is sent for, if its credentials are in neither the fields nor
  ///     the URL.
  ///   - secrets: Additional secrets, besides the standard ones. Default: none.
  public func key(
    _ name: String, method: HTTPMethod = .get, fields: HTTPFields, url: URL? = nil, user: String? = nil,
    secrets: Secrets = Secrets()
  ) async throws -> CacheKey {
    let credentials = CachePartition.all(
      of: fields, method: method, url: url, user: user, secrets: secrets)
    if credentials.isEmpty { return CacheKey(name) }
    return CacheKey(name, partition: CachePartition(credentials, salt: try await salt()))
  }
}

/// The description of one cached response, as `ResponseCache.list` returns it.
public struct CacheEntry: Sendable, Hashable {
  public let key: CacheKey
  public let status: HTTPStatus
  /// The URL that the response came from, without its secrets.
  public let url: URL
  /// When the response was cached, by the wall clock.
  public let date: Date
  /// The response's share of the store's limit, in bytes.
  public let size: Int

  public init(key: CacheKey, status: HTTPStatus, url: URL, date: Date, size: Int) {
    self.key = key
    self.status = status
    self.url = url
    self.date = date
    self.size = size
  }
}
