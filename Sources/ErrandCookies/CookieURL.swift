import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The parts of a request's URL that decide which cookies it is sent.
struct CookieURL: Sendable, Hashable {
  /// The host in lower case. An IPv6 address has no brackets.
  let host: String
  /// The path as it is sent, which is never empty.
  let path: String
  /// True if secure cookies may be sent there and set from there: over https, and on this machine.
  let isSecure: Bool

  /// Returns nil if the URL has no host, or a host or a path that is too long.
  init?(_ url: URL) {
    guard let host = url.host(percentEncoded: true).map(HostName.ofCookies), !host.isEmpty,
      host.utf8.count <= Cookie.longestDomain
    else { return nil }
    let path = url.path(percentEncoded: true)
    guard path.utf8.count <= Cookie.longestPath else { return nil }
    self.host = host
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
    isSecure = url.scheme.map { ASCII.equalIgnoringCase($0, "https") } ?? false || Self.isThisMachine(host)
  }

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host == "127.0.0.1" || host == "::1"
  }

  /// The path of a cookie without a `Path`: the request's path up to the last `/`, without it (section
  /// 5.1.4).
  var defaultPath: String {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > bytes.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Returns true if the cookie belongs to this URL, whatever its expiry (section 5.8.3).
  func isMatched(by cookie: Cookie) -> Bool {
    let isHost = cookie.isHostOnly ? ASCII.areSame(host, cookie.domain) : host.isDomain(in: cookie.domain)
    return isHost && path.isPath(in: cookie.path) && (isSecure || !cookie.isSecure)
  }
}

extension HostName {
  /// Returns a host in the form that cookies use: with A-labels, in lower case. Any other text stays as it
  /// is, and matches no host.
  static func ofCookies(_ host: String) -> String {
    let decoded = host.utf8.contains(UInt8(ascii: "%")) ? URLBytes.decoded(host) : Array(host.utf8)
    return canonical(String(decoding: decoded, as: UTF8.self)) ?? ASCII.lowercased(host)
  }
}

extension Cookie {
  var withDomainInASCII: Cookie {
    guard domain.utf8.contains(where: { $0 >= 0x80 }) else { return self }
    var cookie = self
    cookie.domain = HostName.ofCookies(domain)
    return cookie
  }
}

/// Domains and paths, compared octet by octet.
extension String {
  /// Returns true if this host domain-matches `domain` (section 5.1.3): it is the same, or a name below it.
  func isDomain(in domain: String) -> Bool {
    ASCII.areSame(self, domain) || (!isAddress && utf8.ends(with: ".\(domain)".utf8))
  }

  /// Returns true if this path path-matches `path` (section 5.1.4): it is the same, or a path below it.
  func isPath(in path: String) -> Bool {
    guard utf8.starts(with: path.utf8) else { return false }
    return utf8.count == path.utf8.count || path.utf8.last == UInt8(ascii: "/")
      || utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
  }

  /// True for an IP address in any form that programs accept. A domain name never ends with a number.
  var isAddress: Bool {
    if utf8.contains(UInt8(ascii: ":")) { return true }
    let end = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last ?? ""[...].utf8
    if end.allSatisfy({ 48...57 ~= $0 }) { return !end.isEmpty }
    return end.starts(with: "0x".utf8) && end.dropFirst(2).allSatisfy { URLBytes.digit($0) != nil }
  }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
  fileprivate func ends(with end: some BidirectionalCollection<UInt8>) -> Bool {
    count >= end.count && suffix(end.count).elementsEqual(end)
  }
}
