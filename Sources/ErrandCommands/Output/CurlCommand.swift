import ErrandAuthentication
import ErrandCore
import ErrandCurl

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The curl command that sends the request of a command line, and what it cannot say.
struct CurlCommand {
  private(set) var words: [String]
  /// The options without a counterpart in curl, each with the reason.
  private(set) var leftOut: [String] = []

  /// - Parameter isEndless: True for a response that is shown while it arrives.
  init(_ request: Request, _ transfer: Transfer, _ login: Login, isEndless: Bool = false) {
    var request = request
    if login.cookies != nil, let cookies = transfer.cookies { request.fields.append("Cookie", cookies) }
    let agent = HTTPFields.Field("User-Agent", "Errand/\(ErrandVersion.current)")
    if !request.fields.contains("User-Agent"), !transfer.omits("User-Agent") {
      request.fields.append(agent.name, agent.value)
    }
    words = request.curlWords()
    if !request.fields.contains("Accept-Encoding"), !transfer.omits("Accept-Encoding") {
      let accepted =
        transfer.writesFile ? "identity" : ContentCoding.accepted(with: request.fields, decodes: true)
      words += ["-H", "Accept-Encoding: \(accepted)"]
      if accepted == ContentCoding.offered { words.append("--compressed") }
    }
    for name in transfer.omittedFields { words += ["-H", "\(name):"] }
    if transfer.redirects == 0 { words.removeAll { $0 == "--location" } }
    if let most = transfer.redirects, most > 0 { words += ["--max-redirs", "\(most)"] }
    if let deadline = transfer.deadline { words += ["--max-time", "\(deadline.seconds)"] }
    if transfer.connectTimeout != nil, !words.contains("--connect-timeout") {
      words += ["--connect-timeout", "\(transfer.connectTimeout?.seconds ?? 0)"]
    }
    if transfer.retries > 0 { words += ["--retry", "\(transfer.retries)"] }
    if isEndless { words.append("--no-buffer") }
    take(transfer.connection, host: request.url?.host() ?? "")
    take(transfer.credentials, hasSession: transfer.session != nil)
    takeOutput(transfer)
    if transfer.timeout != nil { leftOut.append("--timeout (curl has no time-out for progress in seconds)") }
    if transfer.isCompressed { leftOut.append("--compress (the body is sent as BODY has it)") }
    if words.contains("@BODY") {
      leftOut.append("the body (it is long, not text, or may have secrets: write it to a file BODY)")
    }
    if words.contains(where: { $0.contains("***") }) {
      leftOut.append("secrets (write them in the place of ***)")
    }
    if transfer.signatures.key != nil { leftOut.append("--sign") }
    if transfer.signatures.verificationKey != nil { leftOut.append("--verify") }
    if transfer.cache != nil { leftOut.append("--cache") }
  }

  /// Prints the command on standard output, and what it leaves out on standard error.
  func print(on console: Console) throws {
    try console.output.write(Request.shellLine(words) + "\n")
    for reason in leftOut { console.say("errand: --curl leaves out \(reason)") }
  }

  private mutating func take(_ connection: ConnectionArguments, host: String) {
    if let file = connection.authorities { words += ["--cacert", file] }
    if connection.acceptsAnyCertificate { words.append("--insecure") }
    switch connection.addressFamily {
    case .any: break
    case .ipv4: words.append("--ipv4")
    case .ipv6: words.append("--ipv6")
    }
    if let path = connection.unixSocket { words += ["--unix-socket", path] }
    if connection.bytesPerSecond > 0 { words += ["--limit-rate", "\(connection.bytesPerSecond)"] }
    if let certificate = connection.tls.clientCertificate, case .file(let path) = certificate.certificate {
      words += ["--cert", path]
      if case .file(let path) = certificate.key { words += ["--key", path] }
      if connection.keyPasswordFile != nil || certificate.password != nil { words += ["--pass", "***"] }
    }
    if connection.tls.minimumVersion == .tls13 { words.append("--tlsv1.3") }
    for override in connection.overrides {
      let address = override.address.contains(":") ? "[\(override.address)]" : override.address
      words += ["--resolve", "\(override.host):\(override.port):\(address)"]
    }
    switch connection.proxy {
    case "none": words += ["--noproxy", "*"]
    // The proxy of an option is used whatever no_proxy has.
    case let proxy?: words += ["--proxy", Secrets.standard.redactAnything(proxy), "--noproxy", ""]
    case nil: break
    }
    if let credential = connection.proxyCredential {
      words += ["--proxy-user", "\(credential.user):***"]
      if credential.scheme == .digest { words.append("--proxy-digest") }
    }
    let keys = (try? PublicKeyPins(connection.tls.pins))?.keys(of: host).map(\.description).sorted() ?? []
    if !keys.isEmpty {
      words += [
        "--pinnedpubkey",
        keys.map { $0.replacing("sha256/", with: "sha256//") }.joined(separator: ";"),
      ]
    } else if !connection.tls.pins.isEmpty {
      leftOut.append("--pin (it is for other hosts)")
    }
  }

  private mutating func take(_ credentials: CredentialArguments, hasSession: Bool) {
    switch credentials.scheme {
    case .user(let user, _) where credentials.usesDigest: words += ["--digest", "--user", "\(user):***"]
    case .netrc where credentials.usesDigest: words += ["--digest", "--netrc"]
    case .aws(let region, let service):
      words += ["--aws-sigv4", "aws:amz:\(region):\(service)", "--user", "***:***"]
    default: break
    }
    if credentials.cookies != nil {
      leftOut.append(hasSession ? "the cookies of --session" : "--cookies (the cookies in Errand's file)")
    }
  }

  private mutating func takeOutput(_ transfer: Transfer) {
    switch transfer.target {
    case .standardOutput: break
    case .file(let path): words += ["--output", path]
    case .fileNamedByURL: words += ["--remote-name", "--remote-header-name"]
    }
    if transfer.resumes { words += ["--continue-at", "-"] }
    if transfer.showsHead, transfer.method != .head { words.append("--include") }
    if transfer.isVerbose { words.append("--verbose") }
    if transfer.writeOut != nil { leftOut.append("-w (give it to curl as it is)") }
  }
}
