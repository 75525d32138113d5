#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache in memory. Its responses are lost when it is released.
public final class MemoryResponseCache: ResponseCache {
  private let state: Locked<MemoryCacheState>
  private let ownSalt = Data((0..<32).map { _ in UInt8.random(in: 0...(.max)) })

  /// - Parameter limit: The most bytes of bodies, fields, URLs and keys together. Default: 20 MiB.
  public init(limit: Int = 20 << 20) {
    state = Locked(MemoryCacheState(limit: limit))
  }

  public func salt() async -> Data { ownSalt }

  public func read(_ key: CacheKey) async -> CachedResponse? {
    state.withLock { $0.read(key) }
  }

  public func write(_ response: CachedResponse, under key: CacheKey) async {
    // Evicted responses are returned, so that no large body is freed under the lock.
    _ = state.withLock { $0.write(response, under: key) }
  }

  public func remove(_ key: CacheKey) async {
    _ = state.withLock { $0.remove(key) }
  }

  public func list() async -> [CacheEntry] {
    state.withLock { $0.entries }
  }

  public func clear() async {
    _ = state.withLock { state in
      defer { state = MemoryCacheState(limit: state.limit) }
      return state
    }
  }
}
