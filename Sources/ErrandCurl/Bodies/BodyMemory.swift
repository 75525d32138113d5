import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory of large bodies, which is reused for the next bodies.
///
/// An allocator may return blocks of this size to the system as soon as they are freed. To get such a block
/// again, page by page, takes longer than to receive the bytes that fill it.
final class BodyMemory: Sendable {
  /// Memory for a part of a body.
  final class Block: Sendable {
    // Safe to share: only its owner writes the bytes, before it is shared. Afterwards they are only read.
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    fileprivate init(_ size: Int) { bytes = .allocate(byteCount: size, alignment: 16) }

    deinit { bytes.deallocate() }
  }

  private struct State {
    var shelf = BlockShelf<Block>()
    /// True from the first `take` until `release`. Free blocks are kept meanwhile.
    var isInUse = false
  }

  private let state = Locked(State())

  /// True if the shelf may hold free blocks.
  var isInUse: Bool { state.withLock { $0.isInUse } }

  func take(_ size: Int) -> Block {
    let used = state.withLock { state in
      state.isInUse = true
      return state.shelf.take(size)
    }
    return used ?? Block(size)
  }

  func put(_ block: Block) {
    // Assigned, so that they are freed after the lock is released.
    let dropped = state.withLock { state in
      state.isInUse ? state.shelf.put(block, block.bytes.count) : []
    }
    _ = dropped
  }

  /// Frees the free blocks. Blocks that are in use are freed when they are returned, unless a block is taken before.
  func release() {
    let released = state.withLock { state in
      state.isInUse = false
      return state.shelf.removeAll()
    }
    _ = released
  }

  /// Returns the beginning of a block as data, which returns the block when its last copy is released.
  func data(_ block: Block, count: Int) -> Data {
    Data(
      bytesNoCopy: block.bytes.baseAddress!, count: count, deallocator: .custom { [self] _, _ in put(block) })
  }
}
