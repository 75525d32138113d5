#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Chunks that can be read once. Two are equal only if they are the same object.
final class BodyStream: Sendable, Hashable {
  /// Offers each chunk to the reader, until the reader returns false or there are no more chunks.
  typealias Reading = @Sendable (_ offer: (Data) async throws -> Bool) async throws -> Void

  let length: Int64?
  private let reading: Locked<Reading?>

  init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
    self.length = length
    reading = Locked { offer in
      for try await chunk in chunks {
        guard try await offer(chunk) else { return }
      }
    }
  }

  /// Returns the function that reads the chunks to the first caller, nil to later ones.
  func take() -> Reading? {
    reading.withLock { reading in
      defer { reading = nil }
      return reading
    }
  }

  static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
