import CCurl
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sets libcurl's options. Those that are the same for all transfers are set once, and the others for each transfer.
final class CurlOptions: Sendable {
  let maxFieldBytes: Int
  /// The addresses to connect to; nil for any.
  let addressPolicy: AddressPolicy?
  var unixSocket: String? { configuration.unixSocket }
  var omittedFields: [String] { configuration.omittedFields }
  var onSentHead: (@Sendable (String) -> Void)? { configuration.onSentHead }
  /// The reason why no request can be sent, or nil.
  let problem: CurlProblem?
  let spread: CurlSpread
  private let configuration: CurlConfiguration
  var keepsCookies: Bool { configuration.keepsCookies }
  private let environment: ProxyEnvironment
  let hasProxies: Bool
  /// The client's certificate. It outlives the handles that use it.
  let identity: TLSIdentity?
  /// The authorities to trust, if they were given as data. They also outlive the handles.
  private let authorities: TLSIdentity.Secret?
  let pins: PublicKeyPins
  /// The secrets of the proxies, which messages must not quote.
  let proxySecrets: ProxySecrets
  /// True for libcurl before version 8, which writes out of bounds when a head begins with a space.
  let isBeforeVersion8: Bool
  /// The fixed addresses of hosts, each as `host:port:address`.
  let addresses: [String]

  init(_ configuration: CurlConfiguration) {
    self.configuration = configuration
    spread = CurlSpread(
      threads: configuration.threads, connectionsPerHost: configuration.maxConnectionsPerHost,
      idleConnections: configuration.maxIdleConnections, keepsCookies: configuration.keepsCookies)
    maxFieldBytes = configuration.maxFieldBytes
    addressPolicy = configuration.addressPolicy.isAny ? nil : configuration.addressPolicy
    environment = configuration.proxy == .environment ? ProxyEnvironment() : ProxyEnvironment { _ in nil }
    hasProxies =
      configuration.unixSocket == nil
      && (configuration.proxy == .environment ? environment.hasProxies : configuration.proxy != .none)
    var proxies = [environment.http, environment.https].compactMap(\.self)
    if case .url(let url) = configuration.proxy { proxies.append(url) }
    proxySecrets = ProxySecrets(of: proxies, configuration.proxyCredential)
    Self.initialiseOnce
    let security = CurlSecurity(configuration, proxies: proxies)
    (identity, pins) = (security.identity, security.pins)
    authorities = configuration.certificateAuthorities?.withUnsafeBytes { TLSIdentity.Secret($0) }
    problem =
      (configuration.problem ?? environment.problem).map { CurlProblem(code: .unsupported, message: $0) }
      ?? (configuration.problemOfPolicy(hasProxies: hasProxies) ?? security.problem).map {
        CurlProblem(code: .invalidConfiguration, message: $0)
      }
    isBeforeVersion8 = Self.version < 0x08_0000
    addresses = configuration.hostOverrides.map { override in
      let address = override.address.contains(":") ? "[\(override.address)]" : override.address
      return "\(HostName.canonical(override.host) ?? override.host):\(override.port):\(address)"
    }
  }

  private static let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0
  /// The reason why HTTP/2 is not used; nil if it is.
  static var http2Problem: String? {
    if supportsHTTP2 { return nil }
    let version =
      curl_version_info(CURLVERSION_FIRST).map { String(cString: $0.pointee.version) } ?? "unknown"
    return "HTTP/2 needs libcurl 8.19 or later, built with nghttp2; this is libcurl \(version)"
  }

  static var libraries: String { curl_version().map { String(cString: $0) } ?? "libcurl" }

  /// Older versions do not report the fate of a stream.
  static let supportsHTTP2 = version >= 0x08_1300 && errand_has_feature(Int(CURL_VERSION_HTTP2)) != 0

  /// Returns true if the connection may be HTTP/2, which several requests use at once; false if it is
  /// certainly HTTP/1.
  static func mayUseHTTP2(_ request: Exchange.Request) -> Bool {
    guard supportsHTTP2, !request.upload.hasTrailers else { return false }
    return switch request.httpVersion {
    case .automatic: request.isSecure
    case .http2: true
    case .http1: false
    }
  }

  /// Newer versions have a code for fields that are too large (`CURLE_TOO_LARGE`).
  static let saysOutOfMemoryForFields = version < 0x08_0600

  private static let initialiseOnce: Void = { curl_global_init(Int(CURL_GLOBAL_ALL)) }()

  func makeMulti() -> UnsafeMutableRawPointer {
    guard let multi = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
    errand_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    errand_multi_setopt_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maxConnectionsPerHost)
    return multi
  }

  /// Makes a handle with all options that are the same for every transfer.
  func makeEasy() -> UnsafeMutableRawPointer {
    guard let easy = curl_easy_init() else { preconditionFailure("no memory for libcurl") }
    func set(_ option: CURLoption, _ value: Int) { errand_setopt_long(easy, option, value) }
    func set(_ option: CURLoption, _ value: String?) { self.set(easy, option, value) }
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_PATH_AS_IS, 1)
    // Chunks are delivered undecoded: see `ChunkedBody`.
    set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    // Without this, libcurl refuses a body with a transfer coding that it does not know.
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CURLOPT_NOPROGRESS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_DNS_CACHE_TIMEOUT, Int(configuration.dnsCacheDuration.components.seconds))
    let given = configuration.certificateAuthorityFile
    let file = authorities == nil ? given ?? CertificateAuthorities.systemFile : nil
    for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { set(option, file) }
    if let memory = authorities?.memory {
      for option in [CURLOPT_CAINFO_BLOB, CURLOPT_PROXY_CAINFO_BLOB] {
        errand_setopt_blob(easy, option, memory.baseAddress, memory.count)
      }
    }
    if file != nil || authorities != nil {
      for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { set(option, nil) }
    }
    let version =
      configuration.tls.minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
    for option in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] { set(option, version) }
    _ = identity?.apply(to: easy)
    if configuration.acceptsAnyCertificate {
      for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST] { set(option, 0) }
    }
    set(CURLOPT_UNIX_SOCKET_PATH, configuration.unixSocket)
    switch configuration.addressFamily {
    case .any: break
    case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    for option in [CURLOPT_MAX_SEND_SPEED_LARGE, CURLOPT_MAX_RECV_SPEED_LARGE] {
      errand_setopt_offset(easy, option, curl_off_t(configuration.bytesPerSecond))
    }
    // Otherwise libcurl would read the process's environment for each transfer.
    set(CURLOPT_NOPROXY, environment.exceptions ?? "")
    set(CURLOPT_PROXY, "")
    if let credential = configuration.proxyCredential {
      set(CURLOPT_PROXYUSERNAME, credential.user)
      set(CURLOPT_PROXYPASSWORD, credential.password)
      set(CURLOPT_PROXYAUTH, credential.scheme.bits)
    }
    // The empty file name enables the cookie engine. The cookies are in the share.
    if configuration.keepsCookies { set(CURLOPT_COOKIEFILE, "") }
    CurlTransfer.setCallbacks(easy)
    return easy
  }

  /// The properties of a request without a body that determine its options, besides its host.
  struct Shape: Equatable {
    let method: HTTPMethod
    let httpVersion: HTTPVersionPreference
    let isSecure: Bool
    let timeout: Duration
    let connectTimeout: Duration?
  }

  /// Sets the options of one transfer, including those that an earlier transfer may have changed.
  func apply(_ request: Exchange.Request, to handle: CurlHandle) {
    let easy = handle.easy
    if hasProxies { setProxy(request, easy) }
    if !pins.isEmpty { setPins(of: handle.host, easy) }
    var shape: Shape?
    if case .none = request.upload {
      shape = Shape(
        method: request.method, httpVersion: request.httpVersion, isSecure: request.isSecure,
        timeout: request.timeout, connectTimeout: request.connectTimeout)
      if shape == handle.shape { return }
    }
    handle.shape = shape
    setMethod(request, handle)
    let version =
      switch request.httpVersion {
      case .http1: CURL_HTTP_VERSION_1_1
      // libcurl sends trailers only with HTTP/1.1.
      case .automatic where request.upload.hasTrailers: CURL_HTTP_VERSION_1_1
      case .automatic: Self.supportsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
      case .http2:
        request.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      }
    errand_setopt_long(easy, CURLOPT_HTTP_VERSION, version)
    // Waiting for the first connection is useful only if it may be HTTP/2. With HTTP/1.1, libcurl learns only
    // from the first response that the connection cannot be shared, so a slow response would delay all other
    // requests to the host.
    let mayShare = Self.mayUseHTTP2(request)
    errand_setopt_long(easy, CURLOPT_PIPEWAIT, mayShare ? 1 : 0)
    // The debug output feeds the handle's notes. libcurl formats it even if it is not used.
    handle.takeNotes(mayShare || configuration.onSentHead != nil)
    // `StallWatch` is more exact. This only extends libcurl's limit of 300 s.
    let connecting = request.connectTimeout ?? request.timeout
    errand_setopt_long(
      easy, CURLOPT_CONNECTTIMEOUT_MS, min(max(0, connecting.wholeMilliseconds), 1 << 30) + 1000)
  }

  /// Sets a text option. libcurl copies the text. Passing a `String` to C directly would copy it once more.
  private func set(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String?) {
    guard let value else {
      errand_setopt_string(easy, option, nil)
      return
    }
    value.withCString { _ = errand_setopt_string(easy, option, $0) }
  }

  private func setProxy(_ request: Exchange.Request, _ easy: UnsafeMutableRawPointer) {
    set(easy, CURLOPT_PROXY, proxy(for: request))
  }

  private func proxy(for request: Exchange.Request) -> String {
    switch configuration.proxy {
    case .none: ""
    case .url(let url): url.withASCIIHost
    case .environment: (request.isSecure ? environment.https : environment.http) ?? ""
    }
  }

  /// Returns true if a proxy may respond instead of the server, which is impossible within a tunnel.
  func mayBeRefusedByProxy(_ request: Exchange.Request) -> Bool {
    guard hasProxies, !request.isSecure else { return false }
    let proxy = proxy(for: request)
    let scheme = proxy.firstRange(of: "://").map { ASCII.lowercased(String(proxy[..<$0.lowerBound])) }
    return !proxy.isEmpty && !(scheme?.hasPrefix("socks") ?? false)
  }

  /// The message for a proxy's 407.
  var proxyRefusal: String {
    let said = "(407 Proxy Authentication Required)"
    return switch configuration.proxyCredential?.scheme {
    case .digest: "the proxy refuses the user and the password, or does not accept Digest \(said)"
    case .basic: "the proxy refuses the user and the password, or does not accept Basic \(said)"
    case nil: "the proxy wants a user and a password, or refuses those in its URL \(said)"
    }
  }

  /// The lowest version of TLS that is accepted.
  var minimumVersion: TLSVersion { configuration.tls.minimumVersion }

  private func setPins(of host: String?, _ easy: UnsafeMutableRawPointer) {
    let keys = host.map(pins.keys) ?? []
    // If libcurl does not report the host, no key is accepted. The keys are sorted, because libcurl lets a
    // request join a connection only if this text is the same.
    let text = host == nil ? "sha256//" : keys.map { "sha256//\($0.base64)" }.sorted().joined(separator: ";")
    set(easy, CURLOPT_PINNEDPUBLICKEY, text.isEmpty ? nil : text)
    // The error names the key that the server has.
    errand_setopt_long(easy, CURLOPT_CERTINFO, text.isEmpty ? 0 : 1)
  }

  private func setMethod(_ request: Exchange.Request, _ handle: CurlHandle) {
    let easy = handle.easy
    let method = request.method
    switch request.upload {
    case .none where method == .head:
      errand_setopt_long(easy, CURLOPT_HTTPGET, 1)
      errand_setopt_long(easy, CURLOPT_NOBODY, 1)
      set(easy, CURLOPT_CUSTOMREQUEST, nil)
    case .none where method == .post || method == .put || method == .patch:
      // RFC 9110, section 8.6: a method that expects a body announces an empty one with Content-Length: 0.
      errand_setopt_long(easy, CURLOPT_POST, 1)
      errand_setopt_long(easy, CURLOPT_POSTFIELDSIZE, 0)
      set(easy, CURLOPT_COPYPOSTFIELDS, "")
      set(easy, CURLOPT_CUSTOMREQUEST, method.rawValue)
    case .none:
      errand_setopt_long(easy, CURLOPT_HTTPGET, 1)
      set(easy, CURLOPT_CUSTOMREQUEST, method == .get ? nil : method.rawValue)
    case .bytes, .reader:
      // The body of an earlier empty POST would make libcurl assume that it can send this body a second time.
      errand_setopt_string(easy, CURLOPT_COPYPOSTFIELDS, nil)
      errand_setopt_long(easy, CURLOPT_UPLOAD, 1)
      errand_setopt_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.upload.length ?? -1))
      set(easy, CURLOPT_CUSTOMREQUEST, method.rawValue)
      if request.upload.hasTrailers { handle.sendTrailers() }
      let isLarge = (request.upload.length ?? .max) > 1 << 20
      errand_setopt_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, isLarge ? 512 << 10 : 64 << 10)
    }
    errand_setopt_long(easy, CURLOPT_FRESH_CONNECT, 0)
    errand_setopt_long(easy, CURLOPT_FORBID_REUSE, 0)
  }

  /// Returns the reason why this request cannot be sent, or nil.
  func problem(of request: Exchange.Request) -> CurlProblem? {
    if let problem { return problem }
    guard request.httpVersion == .http2 else { return nil }
    if request.upload.hasTrailers {
      return CurlProblem(
        code: .unsupported,
        message: "libcurl sends no trailers with HTTP/2; use httpVersion(.automatic), which then is HTTP/1.1")
    }
    return Self.http2Problem.map { problem in
      CurlProblem(
        code: .unsupported,
        message: problem
          + ". Use a newer libcurl, or httpVersion(.automatic), which is HTTP/1.1 with this one")
    }
  }
}
