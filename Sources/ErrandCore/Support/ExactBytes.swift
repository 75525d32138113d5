#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that equal only the same bytes. Two strings are equal if they are canonically equivalent, even if
/// they differ on the wire, in files and in databases. A dictionary or a set of names from outside therefore
/// has these as its keys, and `ASCII.areSame` compares two names.
package struct ExactBytes: Sendable, Hashable {
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Copies the bytes, so that a small slice does not keep a large buffer alive.
  init(_ data: Data) { bytes = Array(data) }

  // An array hashes byte by byte; this hashes all bytes at once.
  package func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// Returns the form in which a key that an app has chosen is compared: a string as its bytes.
  package static func key(_ value: any Hashable & Sendable) -> any Hashable & Sendable {
    (value as? String).map(ExactBytes.init) ?? value
  }
}

extension Hasher {
  /// Adds the bytes of a text, for a type whose `==` compares them with `ASCII.areSame`.
  package mutating func combine(bytesOf text: String) {
    unsafe ASCII.withBytes(of: text) { unsafe combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
