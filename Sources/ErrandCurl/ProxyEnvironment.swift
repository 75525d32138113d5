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
