/// Blocks of memory that are free, of which the next one is taken again. Pure: it only counts what the blocks hold.
struct BlockShelf<Block> {
  /// The most bytes that are kept.
  static var limit: Int { 16 << 20 }

  private var blocks: [(size: Int, block: Block)] = []
  private(set) var bytes = 0

  var isEmpty: Bool { blocks.isEmpty }

  /// Returns the last block that has this size or up to a quarter more, so that little of it is held in vain.
  mutating func take(_ size: Int) -> Block? {
    let most = size + size / 4
    guard let index = blocks.lastIndex(where: { size...most ~= $0.size }) else { return nil }
    let (size, block) = blocks.remove(at: index)
    bytes -= size
    return block
  }

  /// Keeps a block. Returns those that are kept no longer, the oldest first.
  mutating func put(_ block: Block, _ size: Int) -> [Block] {
    blocks.append((size, block))
    bytes += size
    var dropped = 0
    while bytes > Self.limit {
      bytes -= blocks[dropped].size
      dropped += 1
    }
    defer { blocks.removeFirst(dropped) }
    return blocks.prefix(dropped).map(\.block)
  }

  /// Returns all blocks, which are kept no longer.
  mutating func removeAll() -> [Block] {
    defer { self = BlockShelf() }
    return blocks.map(\.block)
  }
}
