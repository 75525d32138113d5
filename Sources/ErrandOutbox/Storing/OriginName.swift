import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxKey {
  /// The same for the same text, and without the key nobody can tell of which: HMAC-SHA-256 (RFC 2104), the first half.
  func digest(of text: String) -> String {
    let blockLength = 64
    let key = [UInt8](data) + Array(repeating: 0, count: blockLength - data.count)
    let inner = SHA256Digest(hashing: Data(key.map { $0 ^ 0x36 } + Array("origin \(text)".utf8)))
    let outer = SHA256Digest(hashing: Data(key.map { $0 ^ 0x5C } + Array(inner.bytes)))
    return String(outer.description.prefix(32))
  }
}
