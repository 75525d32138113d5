#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache in memory. Its responses are lost when it is released.
public final class MemoryResponseCache: ResponseCache {
  private let state: Locked<MemoryCacheState>
  private let ownSalt = Data((0..<32).map { _ in UInt8.random(in: 0...(.max)) })

  /// Creates an empty cache.
  /// - Parameter limit: The maximum size of bodies, fields, URLs and keys together, in bytes. Default: 20
  ///   MiB.
  public init(limit: Int = 20 << 20) {
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

  /// Caches a response, and evicts the least recently used ones if the limit is exceeded.
  public func write(_ response: CachedResponse, under key: CacheKey) async {
    // Evicted responses are returned, so that no large body is freed under the lock.
    _ = state.withLock { $0.write(response, under: key) }
  }

  /// Removes a response, if there is one.
  public func remove(_ key: CacheKey) async {
    _ = state.withLock { $0.remove(key) }
  }

  /// Returns all entries, from the most to the least recently used.
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

/// Responses in memory, linked from the most to the least recently used. Pure. A read, a removal or an
/// eviction takes constant time.
struct MemoryCacheState {
  private typealias Token = Slab<Node>.Token

  private struct Node {
    let key: CacheKey
    let response: CachedResponse
    let size: Int
    var newer: Token?
    var older: Token?
  }

  let limit: Int
  private(set) var size = 0
  private var nodes = Slab<Node>()
  private var tokens: [CacheKey: Token] = [:]
  /// The numbers of the stored responses of each URL, as bits.
  private var numbers: [CacheKey: UInt16] = [:]
  private var newest: Token?
  private var oldest: Token?

  /// - Parameter limit: The maximum size, in bytes.
  init(limit: Int) { self.limit = limit }

  mutating func read(_ key: CacheKey) -> CachedResponse? {
    guard let token = tokens[key] else { return nil }
    unlink(token)
    link(token)
    return nodes[token]?.response
  }

  mutating func readVariants(of key: CacheKey) -> [CachedResponse?] {
    guard let known = numbers[key.variant(0)] else { return [] }
    var found: [CachedResponse?] = []
    for number in CacheKey.variants where known >> number != 0 {
      found.append(known & 1 << number == 0 ? nil : read(key.variant(number)))
    }
    return found
  }

  /// Caches a response.
  /// - Returns: The evicted responses, to be freed outside of any lock.
  mutating func write(_ response: CachedResponse, under key: CacheKey) -> [CachedResponse] {
    var gone = remove(key).map { [$0] } ?? []
    let room = response.size(under: key)
    guard room <= limit else { return gone }
    while size + room > limit, let oldest, let node = nodes[oldest] {
      if let response = remove(node.key) { gone.append(response) }
    }
    let token = nodes.insert(Node(key: key, response: response, size: room))
    tokens[key] = token
    if key.variant > 0 { numbers[key.variant(0), default: 0] |= 1 << key.variant }
    size += room
    link(token)
    return gone
  }

  mutating func remove(_ key: CacheKey) -> CachedResponse? {
    guard let token = tokens.removeValue(forKey: key) else { return nil }
    if key.variant > 0, let known = numbers[key.variant(0)] {
      let rest = known & ~(1 << key.variant)
      numbers[key.variant(0)] = rest == 0 ? nil : rest
    }
    unlink(token)
    let node = nodes.remove(token)
    size -= node?.size ?? 0
    return node?.response
  }

  /// All entries, from the most to the least recently used.
  var entries: [CacheEntry] {
    var entries: [CacheEntry] = []
    var next = newest
    while let token = next, let node = nodes[token] {
      entries.append(
        CacheEntry(
          key: node.key, status: node.response.status, url: node.response.url, date: node.response.date,
          size: node.size))
      next = node.older
    }
    return entries
  }

  private mutating func link(_ token: Token) {
    nodes[token]?.newer = nil
    nodes[token]?.older = newest
    if let newest { nodes[newest]?.newer = token } else { oldest = token }
    newest = token
  }

  private mutating func unlink(_ token: Token) {
    guard let node = nodes[token] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}
