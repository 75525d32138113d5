#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Computes a digest of content that comes in pieces.
///
/// ```swift
/// var hasher = DigestHasher(.sha256)
/// for try await piece in body { hasher.update(piece) }
/// let digest = hasher.finalize()
/// ```
public struct DigestHasher: ~Copyable, Sendable {
  private let state: DigestState

  /// Makes a hasher without content.
  public init(_ algorithm: DigestAlgorithm) { state = DigestState(algorithm) }

  /// Appends a piece of the content.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bytes) }

  /// Appends a piece of the content.
  public mutating func update(_ data: Data) { data.withUnsafeBytes { state.update($0) } }

  /// Returns the digest of all the pieces.
  public consuming func finalize() -> Data { state.finalize() }
}

/// The state of one computation in the system's library.
// Needs no lock, because it belongs to one value, which cannot be copied and whose methods run one after
// another.
final class DigestState: Sendable {
  #if canImport(CryptoKit)
    nonisolated(unsafe) private var hash: any HashFunction

    init(_ algorithm: DigestAlgorithm) {
      hash =
        switch algorithm {
        case .sha256: CryptoKit.SHA256()
        case .sha512: CryptoKit.SHA512()
        }
    }

    func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    func finalize() -> Data { Self.data(hash.finalize()) }

    private static func data(_ digest: some CryptoKit.Digest) -> Data { Data(Array(digest)) }
  #else
    nonisolated(unsafe) private let context: OpaquePointer
    private let byteCount: Int

    init(_ algorithm: DigestAlgorithm) {
      let type =
        switch algorithm {
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
      guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, type, nil) == 1 else {
        preconditionFailure("OpenSSL has no memory, or no \(algorithm.rawValue)")
      }
      self.context = context
      byteCount = algorithm.byteCount
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) {
      let isDone = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      precondition(isDone == 1, "OpenSSL cannot hash")
    }

    func finalize() -> Data {
      var bytes = [UInt8](repeating: 0, count: byteCount)
      let isDone = EVP_DigestFinal_ex(context, &bytes, nil)
      precondition(isDone == 1, "OpenSSL cannot hash")
      return Data(bytes)
    }
  #endif
}
