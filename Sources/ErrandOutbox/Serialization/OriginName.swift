import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxKey {
  /// Returns a digest that is the same for the same text, and that reveals nothing of it without the key: the
  /// first half of HMAC-SHA-256 (RFC 2104).
  func digest(of text: String) -> String {
    let blockLength = 64
    let key = [UInt8](data) + Array(repeating: 0, count: blockLength - data.count)
    let inner = SHA256Digest(hashing: Data(key.map { $0 ^ 0x36 } + Array("origin \(text)".utf8)))
    let outer = SHA256Digest(hashing: Data(key.map { $0 ^ 0x5C } + Array(inner.bytes)))
    return String(outer.description.prefix(32))
  }
}
