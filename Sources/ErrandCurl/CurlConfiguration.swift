public import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The configuration of a `CurlTransport`.
public struct CurlConfiguration: Sendable {
  /// A host and port whose address is given and not looked up.
  public struct HostOverride: Sendable, Hashable {
    public let host: String
    public let port: Int
    /// An IPv4 or IPv6 address.
    public let address: String

    public init(host: String, port: Int, address: String) {
      self.host = host
      self.port = port
      self.address = address
    }
  }

  /// The proxy to use.
  public enum Proxy: Sendable, Hashable {
    /// The proxies that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name, read once.
    case environment
    case none
    /// `http://host:port`, `https://…`, `socks5://…`, optionally with a user and password.
    case url(String)
  }

  /// A PEM file of the authorities to trust, in place of the system's.
  public var certificateAuthorityFile: String?
  /// The contents of such a file, in its place.
  package var certificateAuthorities: Data?
  /// The client's certificate, the lowest version of TLS, and the public keys that hosts may have. Its files are read
  /// when the transport is made.
  public var tls = TLSConfiguration()
  /// Addresses to use for hosts that are not looked up.
  public var hostOverrides: [HostOverride] = []
  /// How long a looked-up address is cached. Default: 60 s.
  public var dnsCacheDuration: Duration = .seconds(60)
  public var proxy = Proxy.environment
  /// The user and the password for the proxy, if they are not in its URL. Default: nil.
  ///
  /// A proxy that wants others fails the request with `RequestError(.proxyAuthenticationFailed)`, which is not retried.
  public var proxyCredential: ProxyCredential?
  /// Whether cookies are stored in memory and sent back. Default: false.
  public var keepsCookies = false
  /// The greatest number of connections to one host. A request beyond it waits for a connection, and fails if
  /// it gets none within its time-out. 0: no limit, the default.
  public var maxConnectionsPerHost = 0
  /// The greatest number of idle connections that are kept open. Several threads share it, but each may keep 32.
  /// Default: 256.
  public var maxIdleConnections = 256
  /// The number of threads for transfers, up to 64. Each has connections of its own; an origin's requests begin on one
  /// of them, and go to the next when it is busy. There is one where `keepsCookies` or `maxConnectionsPerHost`
  /// is set. Default: one for each four processors, at least one.
  public var threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
  /// The greatest number of bytes of a response's header fields. Default: 256 KiB.
  public var maxFieldBytes = 256 << 10

  public init() {}
}

extension CurlConfiguration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy; of a URL with a user, nothing but that there is one.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .none: "none"
    case .url(let url): "url(\(url.contains("@") ? "***" : url))"
    }
  }

  public var debugDescription: String { "CurlConfiguration.Proxy.\(description)" }
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

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
    return nil
  }

  /// The reason why the credential for this proxy cannot be used, or nil: libcurl would take the one in its URL.
  func problem(ofCredentialAt proxies: [String]) -> String? {
    guard let proxyCredential else { return nil }
    if let problem = proxyCredential.problem { return problem }
    return proxies.contains { $0.contains("@") }
      ? "the proxy has a user in its URL and another one apart; give one of them" : nil
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
    guard let first = text.utf8.first, first != UInt8(ascii: "-"), text.utf8.count < 1024,
      HostName.canonical(text) != nil
    else { return false }
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

/// The file of the certificate authorities that the system trusts. It is one file because libcurl would read
/// a folder anew for each connection.
enum CertificateAuthorities {
  static let systemFile: String? = {
    let named = getenv("SSL_CERT_FILE").map { String(cString: $0) }
    let usual = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    return ([named].compactMap { $0 } + usual).first { access($0, R_OK) == 0 }
  }()
}
