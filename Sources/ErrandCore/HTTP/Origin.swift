#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Scheme, host and port (RFC 6454): the boundary within which a credential may be sent.
package struct Origin: Sendable, Hashable {
  let scheme: String
  let host: String
  let port: Int

  package init?(_ url: URL) {
    guard let scheme = url.scheme.map(ASCII.lowercased), let host = url.host(percentEncoded: false) else {
      return nil
    }
    self.scheme = scheme
    self.host = ASCII.lowercased(host)
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// The origin in a canonical form.
  package var text: String { "\(scheme)://\(host):\(port)" }
}
