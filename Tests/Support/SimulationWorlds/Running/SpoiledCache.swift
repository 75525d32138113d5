import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of responses with a deliberate defect.
struct SpoiledCache: ResponseCache {
  private let store: any ResponseCache
  private let defect: Defect
  private let date: @Sendable () -> Date

  init(_ store: any ResponseCache, _ defect: Defect, date: @escaping @Sendable () -> Date) {
    self.store = store
    self.defect = defect
    self.date = date
  }

  /// Returns the key without the credential, if that is the defect.
  private func spoiled(_ key: CacheKey) -> CacheKey {
    defect == .confusesReaders ? CacheKey(key.name).variant(key.variant) : key
  }

  /// Returns the response as one that has just arrived, if that is the defect.
  private func spoiled(_ response: CachedResponse?) -> CachedResponse? {
    guard let response, defect != .confusesReaders else { return response }
    var copy = CachedResponse(
      status: response.status, fields: response.fields, data: response.data, url: response.url, date: date())
    copy.exchange = response.exchange
    return copy
  }

  func salt() async throws -> Data { try await store.salt() }
  func read(_ key: CacheKey) async throws -> CachedResponse? {
    spoiled(try await store.read(spoiled(key)))
  }
  func write(_ response: CachedResponse, under key: CacheKey) async throws {
    try await store.write(response, under: spoiled(key))
  }
  func remove(_ key: CacheKey) async throws {
    if defect != .forgetsChanges { try await store.remove(spoiled(key)) }
  }
  func list() async throws -> [CacheEntry] { try await store.list() }
  func clear() async throws { try await store.clear() }
}
