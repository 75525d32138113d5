#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache that every request of a client uses by HTTP's rules (RFC 9111), without a name.
///
/// ```swift
/// configuration.cache = .http(DiskResponseCache(folder: folder))
/// ```
public struct HTTPCache: ResponseCache {
  let store: any ResponseCache
  let finishesAbandonedStreams: Bool

  init(_ store: any ResponseCache, finishesAbandonedStreams: Bool) {
    self.store = store
    self.finishesAbandonedStreams = finishesAbandonedStreams
  }

  public func salt() async throws -> Data { try await store.salt() }
  public func read(_ key: CacheKey) async throws -> CachedResponse? { try await store.read(key) }
  public func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    try await store.readVariants(of: key)
  }
  public func write(_ response: CachedResponse, under key: CacheKey) async throws {
    try await store.write(response, under: key)
  }
  public func remove(_ key: CacheKey) async throws { try await store.remove(key) }
  public func list() async throws -> [CacheEntry] { try await store.list() }
  public func clear() async throws { try await store.clear() }
}

extension ResponseCache where Self == HTTPCache {
  /// Lets every request of the client use a store by HTTP's rules (RFC 9111): what the server's `Cache-Control`,
  /// `Expires`, `Vary`, `ETag` and `Last-Modified` say. Requests with `cached(as:_:)` use the same store by their name.
  /// - Parameters:
  ///   - store: The store. Default: in memory, 20 MiB.
  ///   - finishesAbandonedStreams: True if a streamed body is received and stored to its end, even if its reader lets go
  ///     of the stream. Its call then lasts until its end, its deadline, or the end of its scope. Default: false.
  public static func http(
    _ store: any ResponseCache = MemoryResponseCache(), finishesAbandonedStreams: Bool = false
  ) -> HTTPCache {
    HTTPCache(store, finishesAbandonedStreams: finishesAbandonedStreams)
  }
}

/// A wish of a request to the HTTP cache: a directive of its `Cache-Control` (RFC 9111, section 5.2.1).
public struct CacheDirective: Sendable, Hashable {
  let text: String

  /// Asks the server whether the cached response is still valid, even if it is fresh (`no-cache`).
  public static let revalidate = CacheDirective(text: "no-cache")
  /// Does not ask the server: without a usable cached response, the response is a 504 (`only-if-cached`).
  public static let onlyIfCached = CacheDirective(text: "only-if-cached")
  /// Does not store the response (`no-store`).
  public static let noStore = CacheDirective(text: "no-store")
  /// Accepts a stale response, however old (`max-stale`).
  public static let maxStale = CacheDirective(text: "max-stale")

  /// Accepts a response that is at most this old, in whole seconds (`max-age`).
  public static func maxAge(_ age: Duration) -> CacheDirective { seconds("max-age", age) }
  /// Accepts a response that has been stale for at most this long, in whole seconds (`max-stale`).
  public static func maxStale(_ time: Duration) -> CacheDirective { seconds("max-stale", time) }
  /// Accepts a response that will be fresh for at least this long, in whole seconds (`min-fresh`).
  public static func minFresh(_ time: Duration) -> CacheDirective { seconds("min-fresh", time) }
  /// Accepts a response that has been stale for at most this long, if the server fails (`stale-if-error`, RFC 5861).
  public static func staleIfError(_ time: Duration) -> CacheDirective { seconds("stale-if-error", time) }

  private static func seconds(_ name: String, _ time: Duration) -> CacheDirective {
    let seconds = min(max(0, time.components.seconds), Int64(CacheControl.longest))
    return CacheDirective(text: "\(name)=\(seconds)")
  }
}
