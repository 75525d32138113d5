import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The proxies in the process's environment, read as curl does. `http_proxy` is read in lower case only,
/// because a client of a CGI program can set `HTTP_PROXY`.
struct ProxyEnvironment: Sendable {
  let http: String?
  let https: String?
  let exceptions: String?
  var hasProxies: Bool { http != nil || https != nil }

  init(_ variable: (String) -> String? = Self.read) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap(variable).first { !$0.isEmpty }
    }
    let all = first("all_proxy", "ALL_PROXY")
    http = (first("http_proxy") ?? all)?.withASCIIHost
    https = (first("https_proxy", "HTTPS_PROXY") ?? all)?.withASCIIHost
    exceptions = first("no_proxy", "NO_PROXY")?.split(separator: ",", omittingEmptySubsequences: false)
      .map { String($0).withASCIIHost }.joined(separator: ",")
  }

  /// The reason why requests cannot be sent in this environment, or nil.
  var problem: String? {
    [http, https].compactMap(\.self).allSatisfy(CurlConfiguration.isProxy)
      ? nil
      : "a proxy's URL in the environment (http_proxy, https_proxy, all_proxy) is too long, or contains a space or a "
        + "control character; correct the variable"
  }

  private static func read(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension String {
  /// The URL of a proxy, or the name of a host, with its host in ASCII. libcurl would convert the host with
  /// the process's locale. An invalid host stays unchanged, and has no address.
  var withASCIIHost: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
    var start = firstRange(of: "://")?.upperBound ?? startIndex
    let end = self[start...].firstIndex(of: "/") ?? endIndex
    if let user = self[start..<end].lastIndex(of: "@") { start = index(after: user) }
    // A name in a list of exceptions may begin with a dot, or a space.
    start = self[start..<end].firstIndex { $0 != "." && $0 != " " } ?? end
    let host = start..<(self[start..<end].firstIndex { $0 == ":" || $0 == " " } ?? end)
    guard let name = HostName.canonical(String(self[host])) else { return self }
    return replacingCharacters(in: host, with: name)
  }

  private func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}

/// The secrets in the URLs of proxies and in their credential, which messages must not show.
struct ProxySecrets: Sendable {
  /// Users and passwords, as written and decoded.
  private var parts: [String] = []
  /// True if a proxy's URL has a user in a place where libcurl does not expect one. libcurl may then mistake
  /// any part of the URL for the host, and show it.
  private var isMisread = false

  init(of proxies: [String], _ credential: ProxyCredential? = nil) {
    if let credential { parts = [credential.user, credential.password].filter { !$0.isEmpty } }
    for proxy in proxies {
      let start = proxy.firstRange(of: "://")?.upperBound ?? proxy.startIndex
      guard let at = proxy[start...].lastIndex(of: "@") else { continue }
      let user = proxy[start..<at]
      if user.contains(where: { "/?#\\ ".contains($0) }) { isMisread = true }
      for part in user.split(separator: ":", maxSplits: 1) {
        parts.append(String(part))
        if let decoded = SecretName.decoded(Array(part.utf8)) {
          parts.append(String(decoding: decoded, as: UTF8.self))
        }
      }
    }
  }

  /// Returns false for a text that may quote a secret.
  func mayShow(_ text: String) -> Bool {
    !isMisread && !text.contains("@") && !text.contains("?") && !parts.contains { text.contains($0) }
  }
}
