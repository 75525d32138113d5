import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A response cache whose operations all throw.
struct BrokenStore: ResponseCache {
  struct Broken: Error {}

  func salt() async throws -> Data { throw Broken() }
  func read(_ key: CacheKey) async throws -> CachedResponse? { throw Broken() }
  func write(_ response: CachedResponse, under key: CacheKey) async throws { throw Broken() }
  func remove(_ key: CacheKey) async throws { throw Broken() }
  func list() async throws -> [CacheEntry] { throw Broken() }
  func clear() async throws { throw Broken() }
}
