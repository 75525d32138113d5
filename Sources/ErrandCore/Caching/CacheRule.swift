/// Has a request's response cached, and says how the cached response is used.
public struct CacheRule: Sendable, Hashable {
  /// The name in the cache key. Two users never share a response, whatever the name. It is written to disk as
  /// it is, so it should hold no secret.
  public var name: String
  public var policy: CachePolicy

  public init(_ name: String, _ policy: CachePolicy) {
    self.name = name
    self.policy = policy
  }
}
