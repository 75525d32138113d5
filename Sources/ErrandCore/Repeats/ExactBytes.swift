#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that equal only the very same bytes. Strings do not: two spellings of one character count as equal there,
/// although they go over the wire differently.
struct ExactBytes: Sendable, Hashable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Copies, so that a small slice does not keep a large buffer alive.
  init(_ data: Data) { bytes = Array(data) }

  // An array hashes byte by byte; this takes them all at once.
  func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}
