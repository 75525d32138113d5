import ErrandCore

/// The secrets in the URLs of proxies, which no message of libcurl's may show.
struct ProxySecrets: Sendable {
  /// Users and passwords, as written and decoded.
  private var parts: [String] = []
  /// True if a proxy's URL has a user in a place where libcurl does not look for one: it may then take any
  /// part of the URL for the host, and name it.
  private var isMisread = false

  init(of proxies: [String]) {
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
