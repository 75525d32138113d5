/// Free blocks of memory, which are reused. Pure: it only counts the bytes of the blocks.
struct BlockShelf<Block> {
  /// The most bytes of free blocks that are kept.
  static var limit: Int { 16 << 20 }

  private var blocks: [(size: Int, block: Block)] = []
  private(set) var bytes = 0

  var isEmpty: Bool { blocks.isEmpty }

  /// Returns the newest block of this size or up to a quarter more, so that little memory is wasted.
  mutating func take(_ size: Int) -> Block? {
    let most = size + size / 4
    guard let index = blocks.lastIndex(where: { size...most ~= $0.size }) else { return nil }
    let (size, block) = blocks.remove(at: index)
    bytes -= size
    return block
  }

  /// Keeps a block. Returns the oldest blocks, which no longer fit and are to be freed.
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

  /// Removes and returns all blocks.
  mutating func removeAll() -> [Block] {
    defer { self = BlockShelf() }
    return blocks.map(\.block)
  }
}
