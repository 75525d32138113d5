import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The target of requests that share limits, a breaker and pauses: an origin, or a caller's key within it.
struct OriginAddress: Sendable, Hashable {
  /// Scheme, host and port: `https://example.com:443`.
  let origin: String
  let key: String?

  init(_ url: URL, key: String? = nil) {
    origin = Origin(url)?.text ?? ""
    self.key = key
  }

  /// Reads an address from its `text`.
  init(text: String) {
    // No origin contains a space.
    let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    origin = parts.first.map { String(Substring($0)) } ?? ""
    key = parts.count > 1 ? String(Substring(parts[1])) : nil
  }

  /// The origin, and the key after a space.
  var text: String { key.map { "\(origin) \($0)" } ?? origin }

  /// Returns the name in a store: one part of visible ASCII, or two with a space between them if there is a
  /// key. In an encrypted outbox the parts are digests.
  func name(sealedWith sealing: OutboxKey?) -> String {
    let first = sealing?.digest(of: origin) ?? origin
    guard let key else { return first }
    return "\(first) \(sealing?.digest(of: text) ?? Self.escaped(key))"
  }

  /// True if the name has a key.
  static func hasKey(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: " ")) }

  private static let longestName = 200

  /// Escaping is needed because stores compare names in different ways, and limit the length of indexed
  /// values.
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
