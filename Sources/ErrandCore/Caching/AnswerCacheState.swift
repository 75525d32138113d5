/// Answers in memory, linked from the most to the least recently used. Pure; everything but `clear` and `entries` takes the
/// same time however many there are.
struct AnswerCacheState {
  private typealias Token = Slab<Node>.Token

  private struct Node {
    let key: AnswerKey
    let answer: KeptAnswer
    let size: Int
    var newer: Token?
    var older: Token?
  }

  let limit: Int
  private(set) var size = 0
  private var nodes = Slab<Node>()
  private var tokens: [AnswerKey: Token] = [:]
  private var newest: Token?
  private var oldest: Token?

  /// - Parameter limit: In bytes.
  init(limit: Int) { self.limit = limit }

  mutating func read(_ key: AnswerKey) -> KeptAnswer? {
    guard let token = tokens[key] else { return nil }
    unlink(token)
    link(token)
    return nodes[token]?.answer
  }

  /// - Returns: What had to go, to be freed outside of any lock.
  mutating func write(_ answer: KeptAnswer, under key: AnswerKey) -> [KeptAnswer] {
    var gone = remove(key).map { [$0] } ?? []
    let room = answer.size(under: key)
    guard room <= limit else { return gone }
    while size + room > limit, let oldest, let node = nodes[oldest] {
      if let answer = remove(node.key) { gone.append(answer) }
    }
    let token = nodes.insert(Node(key: key, answer: answer, size: room))
    tokens[key] = token
    size += room
    link(token)
    return gone
  }

  mutating func remove(_ key: AnswerKey) -> KeptAnswer? {
    guard let token = tokens.removeValue(forKey: key) else { return nil }
    unlink(token)
    let node = nodes.remove(token)
    size -= node?.size ?? 0
    return node?.answer
  }

  /// From the most to the least recently used.
  var entries: [KeptEntry] {
    var entries: [KeptEntry] = []
    var next = newest
    while let token = next, let node = nodes[token] {
      entries.append(
        KeptEntry(
          key: node.key, status: node.answer.status, url: node.answer.url, date: node.answer.date,
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
