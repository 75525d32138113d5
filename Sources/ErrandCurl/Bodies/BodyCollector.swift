#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Collects the bytes of a body until they are delivered, and gives their memory away with them.
struct BodyCollector {
  /// The size of a piece, if the whole body is not wanted in one.
  private static let pieceSize = 64 << 10
  /// The most that is collected of a body that is wanted whole. More is not reserved for an announced length.
  private static let wholeSize = 4 << 20

  private let memory: BodyMemory
  private var block: BodyMemory.Block?
  private var count = 0
  /// The bytes of a body that is wanted whole, which are still to come or not taken yet; nil if it is delivered piece by
  /// piece.
  private var left: Int64?

  init(_ memory: BodyMemory) { self.memory = memory }

  var isEmpty: Bool { count == 0 }

  /// True if what is collected is a piece as large as it may become.
  var isWhole: Bool { block.map { count == $0.bytes.count } ?? false }

  /// True if what is collected should wait for the rest.
  var waitsForMore: Bool { left != nil && !isWhole }

  /// Collects a body of this length into one piece, or into large ones.
  mutating func hold(_ length: Int64) { left = length }

  func hasRoom(for bytes: Int) -> Bool { block.map { count + bytes <= $0.bytes.count } ?? true }

  /// Appends bytes, for which there must be room.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    let block = self.block ?? memory.take(max(bytes.count, size))
    self.block = block
    block.bytes.baseAddress!.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  // No block is small, or many would be kept.
  private var size: Int {
    left.map { max(Self.pieceSize, Int(min($0, Int64(Self.wholeSize)))) } ?? Self.pieceSize
  }

  /// Takes what is collected.
  mutating func take() -> Data {
    guard let block else { return Data() }
    self.block = nil
    defer { count = 0 }
    if let left { self.left = left - Int64(count) }
    guard count < block.bytes.count / 4 else { return memory.data(block, count: count) }
    // A few bytes must not keep a whole block.
    defer { memory.put(block) }
    return Data(block.bytes.prefix(count))
  }
}
