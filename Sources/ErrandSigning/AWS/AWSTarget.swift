import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The parts of a request's URL that are signed, as they go on the wire.
struct AWSTarget: Sendable, Hashable {
  /// The value that a transport gives `Host`: without the default port of the scheme.
  let host: String
  /// The path as it is on the wire; `/` if the URL has no path.
  let path: String
  /// The query as it is on the wire, without the question mark; nil if the URL has no query.
  let query: String?

  /// - Parameter url: An absolute URL.
  /// - Throws: `SigningError.invalidRequest` if the URL has no host, or a host that is not in ASCII.
  init(_ url: URL) throws(SigningError) {
    try self.init(url.absoluteString)
  }

  init(_ url: String) throws(SigningError) {
    var rest = url.utf8[...]
    rest = rest.prefix { $0 != UInt8(ascii: "#") }
    let scheme = rest.prefix { $0 != UInt8(ascii: ":") }
    rest = rest.dropFirst(scheme.count)
    guard rest.starts(with: "://".utf8) else { throw Self.hostless }
    rest = rest.dropFirst(3)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    rest = rest.dropFirst(authority.count)
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    self.path = path.isEmpty ? "/" : String(Substring(path))
    rest = rest.dropFirst(path.count)
    query = rest.isEmpty ? nil : String(Substring(rest.dropFirst()))
    let isSecure = ASCII.equalIgnoringCase(String(Substring(scheme)), "https")
    host = try Self.host(authority, defaultPort: isSecure ? 443 : 80)
  }

  private static func host(_ authority: Substring.UTF8View, defaultPort: Int64) throws(SigningError)
    -> String
  {
    let user = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
    var rest = authority[(user ?? authority.startIndex)...]
    var name: Substring.UTF8View
    if rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) {
      name = rest[...end]
      rest = rest[end...].dropFirst()
    } else {
      name = rest.prefix { $0 != UInt8(ascii: ":") }
      rest = rest.dropFirst(name.count)
    }
    var host = String(Substring(name))
    // The zone of an address (RFC 6874) is valid on this machine only, and is not sent.
    if let zone = name.firstIndex(of: UInt8(ascii: "%")) {
      guard host.hasPrefix("[") else {
        throw SigningError(
          .invalidRequest, "the host of the URL is not in ASCII; write it as in DNS (xn--...)")
      }
      name = name[..<zone]
      host = String(Substring(name)) + "]"
    }
    guard !host.isEmpty else { throw hostless }
    let port = Substring(rest.dropFirst())
    guard !port.isEmpty, let number = ASCII.wholeNumber(port), number != defaultPort else { return host }
    return "\(host):\(number)"
  }

  private static let hostless = SigningError(
    .invalidRequest, "the URL has no host; give an absolute URL, such as https://example.com/path")
}
