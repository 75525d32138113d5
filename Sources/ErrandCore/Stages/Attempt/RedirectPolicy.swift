/// Decides which redirects a request follows. It works alike with every transport.
public struct RedirectPolicy: Sendable, Hashable {
  /// The most redirects that one attempt follows. With 0, a 3xx is the response. Default: 10.
  public var limit = 10
  /// True if a redirect may lead from https to http. Default: false.
  public var allowsDowngrade = false
  /// True if a redirect may lead to another origin (scheme, host or port). Default: true.
  public var allowsOtherOrigins = true
  /// True if a redirect may change the method to GET, which drops the body. A 303 does so for every method
  /// except GET and HEAD; a 301 or 302 does so for POST (RFC 9110, section 15.4). Default: true.
  public var allowsChangeOfMethod = true

  /// Creates a policy that follows redirects to other origins, and changes methods where HTTP says so.
  /// - Parameters:
  ///   - limit: The most redirects that one attempt follows; 0 follows no redirect. Default: 10.
  ///   - allowsDowngrade: True if a redirect may lead from https to http. Default: false.
  public init(limit: Int = 10, allowsDowngrade: Bool = false) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
  }
}
