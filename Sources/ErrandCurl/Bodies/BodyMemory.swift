import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory of large bodies, which is used again while one body follows another.
///
/// An allocator may give blocks of this size back to the system as soon as they are free. To get one again, a page at a
/// time, takes longer than to receive what fills it.
final class BodyMemory: Sendable {
  /// Memory for a part of a body.
  // Safe to share: its bytes are written by its only owner, before it is shared, and read only from then on.
  final class Block: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    fileprivate init(_ size: Int) { bytes = .allocate(byteCount: size, alignment: 16) }

    deinit { bytes.deallocate() }
  }

  private struct State {
    var shelf = BlockShelf<Block>()
    /// True from the first block that is taken until all are released: blocks are kept meanwhile.
    var isInUse = false
  }

  private let state = Locked(State())

  /// True if there may be blocks to release.
  var isInUse: Bool { state.withLock { $0.isInUse } }

  func take(_ size: Int) -> Block {
    let used = state.withLock { state in
      state.isInUse = true
      return state.shelf.take(size)
    }
    return used ?? Block(size)
  }

  func put(_ block: Block) {
    // They are freed after the lock.
    let dropped = state.withLock { state in
      state.isInUse ? state.shelf.put(block, block.bytes.count) : []
    }
    _ = dropped
  }

  /// Frees the blocks that nobody has. Those that are out are freed when they come back, unless one is taken before.
  func release() {
    let released = state.withLock { state in
      state.isInUse = false
      return state.shelf.removeAll()
    }
    _ = released
  }

  /// Returns the beginning of a block as data that brings the block back when nobody holds it any more.
  func data(_ block: Block, count: Int) -> Data {
    Data(
      bytesNoCopy: block.bytes.baseAddress!, count: count, deallocator: .custom { [self] _, _ in put(block) })
  }
}
