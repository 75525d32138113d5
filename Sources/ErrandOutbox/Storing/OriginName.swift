import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension URL {
  /// Scheme, host and port, in one form for each origin (RFC 6454).
  var originText: String {
    let scheme = ASCII.lowercased(scheme ?? "")
    let port = port ?? (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(ASCII.lowercased(host() ?? "")):\(port)"
  }
}

extension OutboxKey {
  /// The same for the same text, and without the key nobody can tell of which: HMAC-SHA-256 (RFC 2104), the first half.
  func digest(of text: String) -> String {
    let blockLength = 64
    let key = [UInt8](data) + Array(repeating: 0, count: blockLength - data.count)
    let inner = SHA256Digest(hashing: Data(key.map { $0 ^ 0x36 } + Array("origin \(text)".utf8)))
    let outer = SHA256Digest(hashing: Data(key.map { $0 ^ 0x5C } + Array(inner.bytes)))
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: outer.bytes.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self
    )
  }
}
