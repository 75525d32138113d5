import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CurlConfiguration {
  /// The reason why nothing is sent with this configuration, or nil. libcurl would ignore a value that it
  /// cannot parse: a request would go without its proxy, or to another address.
  var problem: String? {
    if case .url(let url) = proxy, !Self.isProxy(url) {
      return "the proxy's URL is empty, too long, or contains a space or a control character"
    }
    for override in hostOverrides {
      guard Self.isHostName(override.host), 0...65535 ~= override.port else {
        return "the host override for \(override.host.prefix(100).debugDescription) names no host and port"
      }
      guard Self.isAddress(override.address) else {
        return
          "the host override for \(override.host) leads to \(override.address.prefix(100).debugDescription), "
          + "which is no IPv4 or IPv6 address"
      }
    }
    if let file = certificateAuthorityFile, file.utf8.contains(0) { return "the name of a file contains NUL" }
    if !pinnedPublicKeys.allSatisfy(Self.isOneLine) { return "a public key that is pinned is no base64" }
    return nil
  }

  /// Returns false for a URL that is empty, too long or contains a control character. libcurl decodes the
  /// user and password; where that yields a control character, it ignores the proxy.
  static func isProxy(_ url: String) -> Bool {
    !url.isEmpty && isOneLine(url) && URLBytes.decoded(url).allSatisfy { $0 > 31 && $0 != 127 }
  }

  private static func isOneLine(_ text: String) -> Bool {
    text.utf8.count < 64 << 10 && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
  }

  private static func isHostName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-"), text.utf8.count < 1024 else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      48...57 ~= byte || 97...122 ~= ASCII.lowered(byte) || "._-".utf8.contains(byte) || byte >= 0x80
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    var room = in6_addr()
    return inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
  }
}
