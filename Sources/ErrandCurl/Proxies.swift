import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The proxies of the process's environment, read as curl does: `http_proxy` counts in lower case only,
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
    http = first("http_proxy") ?? all
    https = first("https_proxy", "HTTPS_PROXY") ?? all
    exceptions = first("no_proxy", "NO_PROXY")
  }

  /// The reason why nothing is sent in this environment, or nil.
  var problem: String? {
    [http, https].compactMap(\.self).allSatisfy(CurlConfiguration.isProxy)
      ? nil
      : "a proxy's URL in the environment (http_proxy, https_proxy, all_proxy) is too long, or contains a space or a "
        + "control character"
  }

  private static func read(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

/// The secrets in the URLs of proxies and in the credential for them, which no message of libcurl's may show.
struct ProxySecrets: Sendable {
  /// Users and passwords, as written and decoded.
  private var parts: [String] = []
  /// True if a proxy's URL has a user in a place where libcurl does not look for one: it may then take any
  /// part of the URL for the host, and name it.
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
