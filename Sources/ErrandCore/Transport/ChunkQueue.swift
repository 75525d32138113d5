#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Chunks, first in, first out. Pure.
struct ChunkQueue {
  /// So many places that are empty are worth no move.
  private static let spare = 64

  private var chunks: [Data] = []
  private var first = 0
  private(set) var bytes = 0

  /// How many places it has, those of chunks that are gone included.
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
      // A consumer that is always one chunk behind would never empty it. Each chunk is moved once at most, on average.
      chunks.removeFirst(first)
      first = 0
    }
    return chunk
  }
}
