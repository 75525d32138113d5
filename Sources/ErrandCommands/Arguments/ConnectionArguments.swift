import ErrandAuthentication
import ErrandCore
import ErrandCurl

/// The options for the connection: certificate authorities, pins, a client certificate, addresses and a proxy.
struct ConnectionArguments: Sendable, Hashable {
  var authorities: String?
  var tls = TLSConfiguration()
  /// The file with the password of the client certificate's key; nil if `--cert` has the password or no
  /// password is needed.
  var keyPasswordFile: String?
  var overrides: [AddressOverride] = []
  var proxy: String?
  var proxyCredential: ProxyCredential?
  var acceptsAnyCertificate = false
  var addressFamily = CurlConfiguration.AddressFamily.any
  var unixSocket: String?
  /// The most bytes in a second; 0 for no limit.
  var bytesPerSecond = 0
  /// The names of fields that are not sent, although they would be added.
  var omittedFields: [String] = []

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    authorities = arguments.last(.authorities)
    for text in arguments.values(.pin) {
      let pin = try ValueParser.pin(text)
      tls.pins[pin.name, default: []].append(pin.value)
    }
    try takeCertificate(arguments)
    if let text = arguments.last(.tlsMinimum) { tls.minimumVersion = try ValueParser.tlsVersion(text) }
    for text in arguments.values(.resolve) { overrides.append(try ValueParser.override(text)) }
    if let text = arguments.last(.proxy) { proxy = try ValueParser.proxy(text) }
    try takeProxyCredential(arguments)
    acceptsAnyCertificate = arguments.has(.insecure)
    if arguments.has(.ipv4), arguments.has(.ipv6) { throw UsageError("-4 cannot be combined with -6") }
    addressFamily = arguments.has(.ipv4) ? .ipv4 : arguments.has(.ipv6) ? .ipv6 : .any
    unixSocket = try ValueParser.path(arguments.last(.unixSocket), for: .unixSocket)
    if let text = arguments.last(.limitRate) { bytesPerSecond = try ValueParser.bytes(text, for: .limitRate) }
  }

  private mutating func takeCertificate(_ arguments: ScannedArguments) throws(UsageError) {
    let key = try ValueParser.file(arguments.last(.key), for: .key)
    keyPasswordFile = try ValueParser.passwordFile(arguments.last(.keyPassword))
    guard let text = arguments.last(.certificate) else {
      if key != nil { throw UsageError("--key can be used only with --cert") }
      if keyPasswordFile != nil, !arguments.has(.sign) {
        throw UsageError("--key-password can be used only with --sign or --cert")
      }
      return
    }
    let (file, password) = ValueParser.fileAndPassword(text)
    if password != nil, keyPasswordFile != nil {
      throw UsageError("--cert FILE:PASSWORD and --key-password both give the password; use one of them")
    }
    guard let file = try ValueParser.file(file, for: .certificate) else { return }
    tls.clientCertificate = ClientCertificate(file: file, keyFile: key, password: password)
  }

  private mutating func takeProxyCredential(_ arguments: ScannedArguments) throws(UsageError) {
    guard let text = arguments.last(.proxyUser) else {
      if arguments.has(.proxyDigest) { throw UsageError("--proxy-digest can be used only with --proxy-user") }
      return
    }
    if proxy == "none" { throw UsageError("--proxy-user cannot be combined with --proxy none") }
    let (user, password) = try ValueParser.userAndPassword(text)
    proxyCredential =
      arguments.has(.proxyDigest)
      ? .digest(user: user, password: password) : .basic(user: user, password: password)
  }
}
