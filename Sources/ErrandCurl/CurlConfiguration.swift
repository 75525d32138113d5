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
  /// SHA-256 digests, in base64, of the public keys (SubjectPublicKeyInfo) that a server may have, besides a
  /// trusted certificate. Empty: any key.
  public var pinnedPublicKeys: [String] = []
  /// Addresses to use for hosts that are not looked up.
  public var hostOverrides: [HostOverride] = []
  /// How long a looked-up address is cached. Default: 60 s.
  public var dnsCacheDuration: Duration = .seconds(60)
  public var proxy = Proxy.environment
  /// Whether cookies are stored in memory and sent back. Default: false.
  public var keepsCookies = false
  /// The greatest number of connections to one host. A request beyond it waits for a connection, and fails if
  /// it gets none within its time-out. 0: no limit, the default.
  public var maxConnectionsPerHost = 0
  /// The greatest number of idle connections that are kept open. Default: 256.
  public var maxIdleConnections = 256
  /// The greatest number of bytes of a response's header fields. Default: 256 KiB.
  public var maxFieldBytes = 256 << 10

  public init() {}
}
