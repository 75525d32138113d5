import ErrandCrypto

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Computes a digest of content that comes in pieces.
///
/// ```swift
/// var hasher = DigestHasher(.sha256)
/// for try await piece in body { hasher.update(piece) }
/// let digest = hasher.finalize()
/// ```
package struct DigestHasher: ~Copyable, Sendable {
  private var state: HashState

  /// Makes a hasher without content.
  package init(_ algorithm: DigestAlgorithm) { state = HashState(algorithm.function) }

  /// Appends a piece of the content.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bytes) }

  /// Appends a piece of the content.
  package mutating func update(_ data: Data) { state.update(data) }

  /// Returns the digest of all the pieces.
  package consuming func finalize() -> Data { Data(state.finalize()) }
}

/// The state of one computation, for collections, which cannot have elements that are not copyable.
final class DigestState: Sendable {
  // Needs no lock, because it belongs to one value, which cannot be copied and whose methods run one after
  // another, or to one function.
  nonisolated(unsafe) private var state: HashState

  init(_ algorithm: DigestAlgorithm) { state = HashState(algorithm.function) }

  func update(_ bytes: UnsafeRawBufferPointer) { state.update(bytes) }

  func finalize() -> Data { Data(state.finalize()) }
}

extension DigestAlgorithm {
  fileprivate var function: HashState.Function {
    switch self {
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}
