import ErrandAuthentication
import ErrandCore
import ErrandCurl

/// The options that say how a server is reached, which keys are trusted, and who asks.
struct ConnectionArguments: Sendable, Hashable {
  var authorities: String?
  var tls = TLSConfiguration()
  /// The file with the password of the client certificate's key; nil if it was given with it, or there is none.
  var keyPasswordFile: String?
  var overrides: [AddressOverride] = []
  var proxy: String?
  var proxyCredential: ProxyCredential?

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
  }

  private mutating func takeCertificate(_ arguments: ScannedArguments) throws(UsageError) {
    let key = try ValueParser.file(arguments.last(.key), for: .key)
    keyPasswordFile = try ValueParser.passwordFile(arguments.last(.keyPassword))
    guard let text = arguments.last(.certificate) else {
      if key != nil { throw UsageError("--key goes with --cert only") }
      if keyPasswordFile != nil, !arguments.has(.sign) {
        throw UsageError("--key-password goes with --sign or --cert only")
      }
      return
    }
    let (file, password) = ValueParser.fileAndPassword(text)
    if password != nil, keyPasswordFile != nil {
      throw UsageError("--cert FILE:PASSWORD and --key-password each give the password; use one of them")
    }
    guard let file = try ValueParser.file(file, for: .certificate) else { return }
    tls.clientCertificate = ClientCertificate(file: file, keyFile: key, password: password)
  }

  private mutating func takeProxyCredential(_ arguments: ScannedArguments) throws(UsageError) {
    guard let text = arguments.last(.proxyUser) else {
      if arguments.has(.proxyDigest) { throw UsageError("--proxy-digest goes with --proxy-user only") }
      return
    }
    if proxy == "none" { throw UsageError("--proxy-user does not go with --proxy none") }
    let (user, password) = try ValueParser.userAndPassword(text)
    proxyCredential =
      arguments.has(.proxyDigest)
      ? .digest(user: user, password: password) : .basic(user: user, password: password)
  }
}
