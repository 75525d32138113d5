/// Which redirects are followed. The same for every transport.
public struct RedirectPolicy: Sendable, Hashable {
  /// How many redirects are followed in one attempt. 0 follows none: the 3xx is the response. Default: 10.
  public var limit = 10
  /// True if a redirect may lead from https to http. Default: false.
  public var allowsDowngrade = false
  /// True if a redirect may lead to another origin (scheme, host or port). Default: true.
  public var allowsOtherOrigins = true
  /// True if a redirect may change another method to GET, which drops the body: 303, and for POST 301 and 302
  /// (RFC 9110, section 15.4). Default: true.
  public var allowsChangeOfMethod = true

  public init(limit: Int = 10, allowsDowngrade: Bool = false) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
  }
}
