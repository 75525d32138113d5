#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Collects the bytes of a body until they are delivered, and then hands over their memory.
struct BodyCollector {
  /// The size of a piece of a body that is delivered in pieces.
  private static let pieceSize = 64 << 10
  /// The most bytes that are collected in one piece if the whole body is wanted. Announced lengths reserve no more.
  private static let wholeSize = 4 << 20

  private let memory: BodyMemory
  private var block: BodyMemory.Block?
  private var count = 0
  /// The bytes of a body that are still to be collected or delivered, if the whole body is wanted; nil if it
  /// is delivered in pieces.
  private var left: Int64?

  init(_ memory: BodyMemory) { self.memory = memory }

  var isEmpty: Bool { count == 0 }

  /// True if the piece is as large as it can become.
  var isWhole: Bool { block.map { count == $0.bytes.count } ?? false }

  /// True if the collected bytes should wait for the rest of the body.
  var waitsForMore: Bool { left != nil && !isWhole }

  /// Makes the collector collect a body of this length into one piece, or into large ones.
  mutating func hold(_ length: Int64) { left = length }

  func hasRoom(for bytes: Int) -> Bool { block.map { count + bytes <= $0.bytes.count } ?? true }

  /// Appends bytes. Check `hasRoom(for:)` before.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    let block = self.block ?? memory.take(max(bytes.count, size))
    self.block = block
    block.bytes.baseAddress!.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  // Blocks are never small, or many would be kept.
  private var size: Int {
    left.map { max(Self.pieceSize, Int(min($0, Int64(Self.wholeSize)))) } ?? Self.pieceSize
  }

  /// Removes and returns the collected bytes.
  mutating func take() -> Data {
    guard let block else { return Data() }
    self.block = nil
    defer { count = 0 }
    if let left { self.left = left - Int64(count) }
    guard count < block.bytes.count / 4 else { return memory.data(block, count: count) }
    // A few bytes should not keep a large block in memory.
    defer { memory.put(block) }
    return Data(block.bytes.prefix(count))
  }
}
