#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Scheme, host and port (RFC 6454): the boundary within which a credential may be sent.
package struct Origin: Sendable, Hashable {
  package let scheme: String
  /// The host in lower case; an IPv6 address is in brackets.
  let host: String
  let port: Int

  /// Returns nil if the URL has no scheme, or no valid host.
  package init?(_ url: URL) {
    guard let reference = URLReference(url.absoluteString), let scheme = reference.scheme,
      let authority = reference.authority, !authority.host.isEmpty
    else { return nil }
    self.scheme = ASCII.lowercased(scheme)
    host = ASCII.lowercased(authority.host)
    port = authority.port.flatMap { Int($0) } ?? (self.scheme == "https" ? 443 : 80)
  }

  /// The origin in a canonical form, such as `https://example.com:443`.
  package var text: String { "\(scheme)://\(host):\(port)" }
}

/// A valid URL, with the parts that every request and attempt needs, which are computed once.
final class WholeURL: Sendable, Hashable {
  let url: URL
  let text: String
  /// True for https.
  let isSecure: Bool
  /// True if the URL has a user or a password, even if they are empty.
  let hasUser: Bool
  /// Scheme, host and port in a canonical form.
  let originName: String
  /// True if the whole path is a secret.
  let isSecret: Bool

  init(_ url: URL, isSecret: Bool = false) {
    let text = url.absoluteString
    let isSecure = unsafe ASCII.withBytes(of: text) {
      unsafe $0.count > 4 && ASCII.lowered($0[4]) == UInt8(ascii: "s")
    }
    self.url = url
    self.text = text
    self.isSecure = isSecure
    self.isSecret = isSecret
    hasUser = unsafe ASCII.withBytes(of: text, Self.hasUser)
    originName =
      unsafe ASCII.withBytes(of: text, { unsafe Self.originName($0, isSecure) }) ?? Origin(url)?.text ?? ""
  }

  static func == (left: WholeURL, right: WholeURL) -> Bool { left === right || left.text == right.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  private static func hasUser(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var slashes = 0
    for index in 0..<text.count {
      switch unsafe text[index] {
      case UInt8(ascii: "@"): return true
      case UInt8(ascii: "/"):
        slashes += 1
        if slashes == 3 { return false }
      case UInt8(ascii: "?"), UInt8(ascii: "#"): return false
      default: continue
      }
    }
    return false
  }

  /// Returns the canonical text; nil if the URL must be parsed for it, which plain URLs need not.
  private static func originName(_ text: UnsafeBufferPointer<UInt8>, _ isSecure: Bool) -> String? {
    var start = isSecure ? 8 : 7
    var end = start
    var digits: Int?
    while end < text.count {
      switch unsafe text[end] {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        return unsafe originName(text, start, digits, end, isSecure)
      case UInt8(ascii: "@"): (start, digits) = (end + 1, nil)
      case UInt8(ascii: ":"): digits = end + 1
      case UInt8(ascii: "["), UInt8(ascii: "%"), UInt8(ascii: "\\"), 128...: return nil
      default: break
      }
      end += 1
    }
    return unsafe originName(text, start, digits, end, isSecure)
  }

  private static func originName(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ digits: Int?, _ end: Int, _ isSecure: Bool
  ) -> String? {
    var port = isSecure ? 443 : 80
    if let digits, digits < end {
      guard let number = unsafe Int(String(decoding: text[digits..<end], as: UTF8.self)) else { return nil }
      port = number
    }
    let hostEnd = digits.map { $0 - 1 } ?? end
    let scheme: StaticString = isSecure ? "https://" : "http://"
    let tail = port == 80 ? ":80" : port == 443 ? ":443" : ":\(port)"
    let length = hostEnd - start
    guard length > 0 else { return nil }
    return unsafe String(unsafeUninitializedCapacity: scheme.utf8CodeUnitCount + length + tail.utf8.count) {
      name in
      var count = 0
      func add(_ byte: UInt8) {
        unsafe name[count] = byte
        count += 1
      }
      for index in 0..<scheme.utf8CodeUnitCount { unsafe add(scheme.utf8Start[index]) }
      for index in start..<hostEnd { unsafe add(ASCII.lowered(text[index])) }
      for byte in tail.utf8 { add(byte) }
      return count
    }
  }
}
