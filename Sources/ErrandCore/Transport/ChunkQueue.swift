#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Chunks, first in, first out. Pure.
struct ChunkQueue {
  /// The number of empty places below which the chunks are not moved.
  private static let spare = 64

  private var chunks: [Data] = []
  private var first = 0
  private(set) var bytes = 0

  /// The number of places, including those of removed chunks.
  var places: Int { chunks.count }

  mutating func append(_ chunk: Data) {
    chunks.append(chunk)
    bytes += chunk.count
  }

  mutating func pop() -> Data? {
    guard first < chunks.count else { return nil }
    let chunk = chunks[first]
    chunks[first] = Data()
    first += 1
    bytes -= chunk.count
    if first == chunks.count {
      chunks.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= Self.spare, first * 2 >= chunks.count {
      // With a consumer that is always one chunk behind, the queue never becomes empty. On average each chunk
      // is moved once at most.
      chunks.removeFirst(first)
      first = 0
    }
    return chunk
  }
}
