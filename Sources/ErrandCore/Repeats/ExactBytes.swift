#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that equal only the same bytes. Strings compare canonically equivalent spellings of a character as
/// equal, although they differ on the wire.
struct ExactBytes: Sendable, Hashable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Copies the bytes, so that a small slice does not keep a large buffer alive.
  init(_ data: Data) { bytes = Array(data) }

  // An array hashes byte by byte; this hashes all bytes at once.
  func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}
