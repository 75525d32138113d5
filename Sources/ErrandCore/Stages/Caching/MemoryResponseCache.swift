import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache in memory. Its responses are lost when it is released.
public final class MemoryResponseCache: ResponseCache {
  private let state: Locked<MemoryCacheState>
  /// The maximum size of all responses, in bytes.
  let limit: Int
  private let ownSalt = Data.random(32)

  /// Creates an empty cache.
  /// - Parameter limit: The maximum size of bodies, fields, URLs and keys together, in bytes. Default: 20
  ///   MiB.
  public init(limit: Int = 20 << 20) {
    self.limit = limit
    state = Locked(MemoryCacheState(limit: limit))
  }

  /// Returns the cache's random bytes.
  public func salt() async -> Data { ownSalt }

  /// Returns the cached response of this key, or nil. Counts as a use of it.
  public func read(_ key: CacheKey) async -> CachedResponse? {
    state.withLock { $0.read(key) }
  }

  /// Returns the cached responses of one URL. Counts as a use of each.
  public func readVariants(of key: CacheKey) async -> [CachedResponse?] { variants(of: key) }

  func variants(of key: CacheKey) -> [CachedResponse?] { state.withLock { $0.readVariants(of: key) } }

  /// Caches a response, and evicts others if the limit is exceeded: first those that were never read, and of them
  /// the least recently used.
  public func write(_ response: CachedResponse, under key: CacheKey) async {
    // Evicted responses are returned, so that no large body is freed under the lock.
    _ = state.withLock { $0.write(response, under: key) }
  }

  /// Removes a response, if there is one.
  public func remove(_ key: CacheKey) async {
    _ = state.withLock { $0.remove(key) }
  }

  /// Returns all entries, from the last to the first to be evicted.
  public func list() async -> [CacheEntry] {
    state.withLock { $0.entries }
  }

  /// Removes all responses.
  public func clear() async {
    _ = state.withLock { state in
      defer { state = MemoryCacheState(limit: state.limit) }
      return state
    }
  }
}
