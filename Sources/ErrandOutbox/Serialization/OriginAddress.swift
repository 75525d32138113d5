import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where requests lead that share limits, a breaker and pauses: an origin, or a key of the caller's within it.
struct OriginAddress: Sendable, Hashable {
  /// Scheme, host and port: `https://example.com:443`.
  let origin: String
  let key: String?

  init(_ url: URL, key: String? = nil) {
    origin = Origin(url)?.text ?? ""
    self.key = key
  }

  /// The reverse of `text`.
  init(text: String) {
    // No origin contains a space.
    let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    origin = parts.first.map { String(Substring($0)) } ?? ""
    key = parts.count > 1 ? String(Substring(parts[1])) : nil
  }

  /// The origin, and the key after a space.
  var text: String { key.map { "\(origin) \($0)" } ?? origin }

  /// Returns the name in a store: two parts of visible ASCII with a space between them, or one without a key. With an
  /// outbox's key these are digests.
  func name(sealedWith sealing: OutboxKey?) -> String {
    let first = sealing?.digest(of: origin) ?? origin
    guard let key else { return first }
    return "\(first) \(sealing?.digest(of: text) ?? Self.escaped(key))"
  }

  /// True if a name is that of a key.
  static func hasKey(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: " ")) }

  private static let longestName = 200

  /// Stores compare names in ways of their own, and have limits for their indices.
  private static func escaped(_ key: String) -> String {
    var escaped = ""
    for byte in key.utf8 {
      guard escaped.utf8.count < longestName else {
        return "%sha256:\(SHA256Digest(hashing: Data(key.utf8)))"
      }
      if 0x21...0x7E ~= byte, byte != UInt8(ascii: "%") {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += digits.count < 2 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return escaped
  }
}
