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
  /// A host and port that has a fixed address instead of a DNS look-up.
  public struct HostOverride: Sendable, Hashable {
    /// The name of the host.
    package let host: String
    /// The port, from 0 to 65535.
    package let port: Int
    /// An IPv4 or IPv6 address.
    package let address: String

    /// Makes an override. `CurlTransport.checkConfiguration()` throws if it is invalid.
    public init(host: String, port: Int, address: String) {
      self.host = host
      self.port = port
      self.address = address
    }
  }

  /// The proxy to use.
  public enum Proxy: Sendable, Hashable {
    /// The proxies in `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. The environment is read once.
    case environment
    /// No proxy.
    case none
    /// A proxy at `http://host:port`, `https://…` or `socks5://…`, optionally with a user and a password.
    case url(String)
  }

  /// The family of the addresses of hosts.
  package enum AddressFamily: Sendable {
    case any
    case ipv4
    case ipv6
  }

  /// The path of a PEM file with the authorities to trust instead of the system's. Default: nil.
  public var certificateAuthorityFile: String?
  /// The contents of such a file, which are used instead of it.
  package var certificateAuthorities: Data?
  /// The client's certificate, the lowest version of TLS, and the public keys that hosts may have. Its files
  /// are read when the transport is made.
  public var tls = TLSConfiguration()
  /// The hosts that have fixed addresses. Default: none.
  public var hostOverrides: [HostOverride] = []
  /// The path of a Unix domain socket to which every connection is made, instead of to the host and port of
  /// the URL. It has at most 107 bytes. Proxies do not apply. Default: nil.
  ///
  /// ```swift
  /// var configuration = CurlConfiguration()
  /// configuration.unixSocket = "/var/run/docker.sock"
  /// let client = Client(transport: CurlTransport(configuration: configuration))
  /// let version = try await client.send(.get("http://localhost/version"))
  /// ```
  public var unixSocket: String?
  /// The addresses to which connections are made. Default: any.
  public var addressPolicy = AddressPolicy.any
  /// The family of addresses to use. Default: both.
  package var addressFamily = AddressFamily.any
  /// True to accept any certificate of a server.
  package var acceptsAnyCertificate = false
  /// The most bytes that each transfer sends, and receives, in a second; 0 for no limit.
  package var bytesPerSecond = 0
  /// The names of fields that are not sent, although libcurl or the transport would add them.
  package var omittedFields: [String] = []
  /// Reports the head of each request as it is sent. It is called on the transport's thread, and must not block.
  package var onSentHead: (@Sendable (String) -> Void)?
  /// The time for which a looked-up address is cached. Default: 60 s.
  public var dnsCacheDuration: Duration = .seconds(60)
  /// The proxy to use. Default: the proxies in the environment.
  public var proxy = Proxy.environment
  /// The user and the password for the proxy, if its URL does not contain them. Default: nil.
  ///
  /// If the proxy wants other credentials, the request fails with `RequestError(.proxyAuthenticationFailed)`
  /// and is not retried.
  public var proxyCredential: ProxyCredential?
  /// Whether cookies are kept in memory and sent back. Default: false.
  public var keepsCookies = false
  /// The most connections to one host. Further requests wait for a connection, and fail if they get none
  /// within their time-out. Default: 0, which means no limit.
  public var maxConnectionsPerHost = 0
  /// The most idle connections that are kept open, besides those in use. Several threads share this number, but each
  /// may keep 32. When many requests end at once, more stay open until later requests end. Default: 256.
  public var maxIdleConnections = 256
  /// The number of threads for transfers, up to 64. Each thread has separate connections. The requests to an
  /// origin begin on one thread, and use the next when it is busy. If `keepsCookies` or
  /// `maxConnectionsPerHost` is set, there is only one thread. Default: one for each four processors, at
  /// least one.
  public var threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
  /// The most bytes of a response's header fields and trailers together. libcurl limits each line of HTTP/1.1
  /// trailers to 4 KB. Default: 256 KiB.
  public var maxFieldBytes = 256 << 10

  /// Makes a configuration with the defaults.
  public init() {}
}

extension CurlConfiguration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy. A URL with a user is shown as `***`.
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
  /// The reason why requests cannot be sent with this configuration, or nil. libcurl would ignore a value
  /// that it cannot parse, and send a request without its proxy, or to another address.
  var problem: String? {
    if case .url(let url) = proxy, !Self.isProxy(url) {
      return "the proxy's URL is empty, too long, or contains a space or a control character"
    }
    for override in hostOverrides {
      guard Self.isHostName(override.host), 0...65535 ~= override.port else {
        return "the host override for \(override.host.prefix(100).debugDescription) has an invalid host "
          + "or port"
      }
      guard Self.isAddress(override.address) else {
        return
          "the host override for \(override.host) leads to \(override.address.prefix(100).debugDescription), "
          + "which is not an IPv4 or IPv6 address"
      }
    }
    if let path = unixSocket, path.isEmpty || path.utf8.count > 107 || path.utf8.contains(0) {
      return "the path of a Unix socket has 1 to 107 bytes, and no NUL"
    }
    if let file = certificateAuthorityFile, file.utf8.contains(0) { return "the name of a file contains NUL" }
    return nil
  }

  /// Returns the reason why the address policy cannot be kept, or nil.
  /// - Parameter hasProxies: True if requests may go through a proxy.
  func problemOfPolicy(hasProxies: Bool) -> String? {
    guard !addressPolicy.isAny else { return nil }
    if let problem = addressPolicy.problem { return problem }
    if unixSocket != nil {
      return
        "the address policy does not allow a Unix socket, which has no address: use another transport for it"
    }
    guard hasProxies else { return nil }
    return
      "the address policy cannot be kept with a proxy, which makes the connections: set proxy to .none, or check "
      + "addresses in the proxy"
  }

  /// Returns the reason why the credential for these proxies cannot be used, or nil. libcurl would use the
  /// one in the URL instead.
  func problem(ofCredentialAt proxies: [String]) -> String? {
    guard let proxyCredential else { return nil }
    if let problem = proxyCredential.problem { return problem }
    return proxies.contains { $0.contains("@") }
      ? "the proxy has a user in its URL and another in proxyCredential; set only one of them" : nil
  }

  /// Returns false for a URL that is empty, too long or contains a control character. libcurl decodes the
  /// user and the password, and ignores the proxy if that yields a control character.
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

/// The file of the certificate authorities that the system trusts. It is a file, because libcurl would read a
/// folder again for each connection.
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
