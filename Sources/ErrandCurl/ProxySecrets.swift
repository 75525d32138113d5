import ErrandCore

/// What is secret in the URLs of proxies, so that no message of libcurl's shows it.
struct ProxySecrets: Sendable {
  /// Users and passwords, as they are written.
  private var parts: [String] = []
  /// True if a proxy's URL has a user in a place where libcurl does not look for one: then any part of it may be taken for
  /// its host, and be named.
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

  /// False for a text that may quote a secret.
  func mayShow(_ text: String) -> Bool {
    !isMisread && !text.contains("@") && !text.contains("?") && !parts.contains { text.contains($0) }
  }
}
