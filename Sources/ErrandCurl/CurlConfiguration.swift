/// How `CurlTransport` connects.
public struct CurlConfiguration: Sendable {
  /// One host and port whose address is given instead of looked up.
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

  /// Which proxy is used.
  public enum Proxy: Sendable, Hashable {
    /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say, read once.
    case environment
    case none
    /// `http://host:port`, `https://…`, `socks5://…`, with a user and password if need be.
    case url(String)
  }

  /// A PEM file of the authorities to trust, in place of the system's.
  public var certificateAuthorityFile: String?
  /// SHA-256 digests, in base64, of the public keys (SubjectPublicKeyInfo) that a server may have, besides a trusted
  /// certificate. Empty: any.
  public var pinnedPublicKeys: [String] = []
  /// Addresses that are given instead of looked up.
  public var hostOverrides: [HostOverride] = []
  /// How long a looked-up address is kept. Default: 60 s.
  public var dnsCacheDuration: Duration = .seconds(60)
  public var proxy = Proxy.environment
  /// Keeps cookies in memory and sends them back. Default: false.
  public var keepsCookies = false
  /// The most connections to one host; a request beyond them waits for one, which counts as silence: it must get
  /// one within its time-out. 0: no limit, the default.
  public var maxConnectionsPerHost = 0
  /// The most connections that are kept when they are idle. Default: 256.
  public var maxIdleConnections = 256
  /// The most bytes of an answer's fields. Default: 256 KiB.
  public var maxFieldBytes = 256 << 10

  public init() {}
}
