#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store of cached responses. `ResponseCacheConformance` in ErrandConformance is the suite that every store
/// must pass.
///
/// A response is read as it was written, or not at all. A lost or damaged response is nil, not an error. A
/// store never blocks the calling thread for longer than a memory access takes. A request waits at most 5 s
/// for each operation, and then continues as if the store had failed: a read has found nothing, or a write has
/// cached nothing.
public protocol ResponseCache: Sendable {
  /// Returns the store's random bytes, with which partitions are salted. They stay the same for as long as
  /// the store keeps responses.
  func salt() async throws -> Data

  /// Returns the cached response of this key, or nil. Counts as a use of it.
  func read(_ key: CacheKey) async throws -> CachedResponse?

  /// Returns the cached responses of one URL, by the number of their variant; nil for those that are missing. Counts
  /// as a use of each. Default: calls `read(_:)` for each.
  /// - Parameter key: The key of any of them.
  func readVariants(of key: CacheKey) async throws -> [CachedResponse?]

  /// Caches a response, and removes the older one with the same key. If it needs the space, it evicts responses
  /// that have not been read for a long time. A response that is too large for the store is not cached. The older one is
  /// removed all the same, because it is out of date.
  func write(_ response: CachedResponse, under key: CacheKey) async throws

  /// Removes a response, if there is one.
  func remove(_ key: CacheKey) async throws

  /// Returns all entries, in no particular order. Does not count as a use.
  func list() async throws -> [CacheEntry]

  /// Removes all responses.
  func clear() async throws
}

extension ResponseCache {
  public func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    var found: [CachedResponse?] = []
    for number in CacheKey.variants { found.append(try await read(key.variant(number))) }
    return found
  }

  /// Returns the cache key of a request. Asks for the salt only if the request belongs to a partition.
  ///
  /// - Parameters:
  ///   - name: The name that the response is cached under.
  ///   - method: The request's method. Default: GET.
  ///   - fields: The request's header fields.
  ///   - url: The request's URL.
  ///   - user: The identity that the request is sent for, if its credentials are in neither the fields nor
  ///     the URL.
  ///   - secrets: Additional secrets, besides the standard ones. Default: none.
  package func key(
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
  /// The key of the response.
  public let key: CacheKey
  /// The status of the response.
  public let status: HTTPStatus
  /// The URL that the response came from, without its secrets.
  public let url: URL
  /// When the response was cached, by the wall clock.
  public let date: Date
  /// The response's share of the store's limit, in bytes.
  public let size: Int

  /// Creates the description of a cached response.
  /// - Parameters:
  ///   - key: The key of the response.
  ///   - status: The status of the response.
  ///   - url: The URL that the response came from, without its secrets.
  ///   - date: When the response was cached, by the wall clock.
  ///   - size: The response's share of the store's limit, in bytes.
  public init(key: CacheKey, status: HTTPStatus, url: URL, date: Date, size: Int) {
    self.key = key
    self.status = status
    self.url = url
    self.date = date
    self.size = size
  }
}
