#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Responses in memory, in two lists: those that were never read since they were written, and those that were. Each is
/// linked from the most to the least recently used. Unread responses are evicted first, so that responses that are
/// used once do not replace those that are used often (segmented LRU). Pure. A read, a removal or an eviction takes
/// constant time.
struct MemoryCacheState {
  private typealias Token = Slab<Node>.Token

  /// A response and its key, which are not copied with the node.
  private final class Entry: Sendable {
    let key: CacheKey
    let response: CachedResponse

    init(_ key: CacheKey, _ response: CachedResponse) {
      self.key = key
      self.response = response
    }
  }

  private struct Node {
    let entry: Entry
    let size: Int
    var isRead = false
    var newer: Token?
    var older: Token?
  }

  private struct List {
    var newest: Token?
    var oldest: Token?
    var size = 0
  }

  let limit: Int
  private var nodes = Slab<Node>()
  private var tokens: [CacheKey: Token] = [:]
  /// The numbers of the stored responses of each URL, as bits.
  private var numbers: [CacheKey: UInt16] = [:]
  private var unread = List()
  private var read = List()

  /// - Parameter limit: The maximum size, in bytes.
  init(limit: Int) { self.limit = limit }

  /// The size of all responses, in bytes.
  var size: Int { unread.size + read.size }
  /// The share of the limit that read responses may take. The least recently used ones of the rest count as unread.
  private var readLimit: Int { limit / 5 * 4 }

  mutating func read(_ key: CacheKey) -> CachedResponse? {
    guard let token = tokens[key] else { return nil }
    unlink(token)
    link(token, isRead: true)
    while read.size > readLimit, let oldest = read.oldest, oldest != token {
      unlink(oldest)
      link(oldest, isRead: false)
    }
    return nodes[token]?.entry.response
  }

  mutating func readVariants(of key: CacheKey) -> [CachedResponse?] {
    guard let known = numbers[key.variant(0)] else { return [] }
    var found: [CachedResponse?] = []
    for number in CacheKey.variants where known >> number != 0 {
      found.append(known & 1 << number == 0 ? nil : read(key.variant(number)))
    }
    return found
  }

  /// Caches a response. One that replaces a read response counts as read.
  /// - Returns: The evicted responses, to be freed outside of any lock.
  mutating func write(_ response: CachedResponse, under key: CacheKey) -> [CachedResponse] {
    let isRead = tokens[key].flatMap { nodes[$0]?.isRead } ?? false
    var gone = remove(key).map { [$0] } ?? []
    let room = response.size(under: key)
    guard room <= limit else { return gone }
    while size + room > limit, let oldest = unread.oldest ?? read.oldest, let node = nodes[oldest] {
      if let response = remove(node.entry.key) { gone.append(response) }
    }
    let token = nodes.insert(Node(entry: Entry(key, response), size: room))
    tokens[key] = token
    if key.variant > 0 { numbers[key.variant(0), default: 0] |= 1 << key.variant }
    link(token, isRead: isRead)
    return gone
  }

  mutating func remove(_ key: CacheKey) -> CachedResponse? {
    guard let token = tokens.removeValue(forKey: key) else { return nil }
    if key.variant > 0, let known = numbers[key.variant(0)] {
      let rest = known & ~(1 << key.variant)
      numbers[key.variant(0)] = rest == 0 ? nil : rest
    }
    unlink(token)
    return nodes.remove(token)?.entry.response
  }

  /// All entries, from the last to the first to be evicted.
  var entries: [CacheEntry] {
    [read, unread].flatMap { list in
      var entries: [CacheEntry] = []
      var next = list.newest
      while let token = next, let node = nodes[token] {
        let (key, response) = (node.entry.key, node.entry.response)
        entries.append(
          CacheEntry(
            key: key, status: response.status, url: response.url, date: response.date, size: node.size))
        next = node.older
      }
      return entries
    }
  }

  private mutating func link(_ token: Token, isRead: Bool) {
    nodes[token]?.isRead = isRead
    if isRead { Self.link(token, &read, &nodes) } else { Self.link(token, &unread, &nodes) }
  }

  private mutating func unlink(_ token: Token) {
    guard let node = nodes[token] else { return }
    if node.isRead { Self.unlink(node, &read, &nodes) } else { Self.unlink(node, &unread, &nodes) }
  }

  private static func link(_ token: Token, _ list: inout List, _ nodes: inout Slab<Node>) {
    nodes[token]?.newer = nil
    nodes[token]?.older = list.newest
    if let newest = list.newest { nodes[newest]?.newer = token } else { list.oldest = token }
    list.newest = token
    list.size += nodes[token]?.size ?? 0
  }

  private static func unlink(_ node: Node, _ list: inout List, _ nodes: inout Slab<Node>) {
    if let newer = node.newer { nodes[newer]?.older = node.older } else { list.newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { list.oldest = node.newer }
    list.size -= node.size
  }
}
