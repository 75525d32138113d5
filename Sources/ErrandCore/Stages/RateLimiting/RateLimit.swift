#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The number of requests that may be sent in a period, as a token bucket: each attempt takes a token, and the
/// bucket gets a new token at even intervals.
///
/// ```swift
/// let limit = RateLimit(requests: 10, per: .seconds(1), burst: 5)
/// ```
///
/// In any period of the length `per`, at most `requests + burst - 1` attempts begin. So with a burst of 1, a server
/// that counts requests by the period never counts more than `requests`.
public struct RateLimit: Sendable, Hashable {
  private static let largest = 1_000_000_000
  private static let shortest = Duration.microseconds(1)

  /// The number of tokens that the bucket gets in each period.
  public let requests: Int
  /// The length of the period.
  public let per: Duration
  /// The number of tokens that the bucket holds. After a pause, this number of attempts may begin at once.
  public let burst: Int

  /// Creates a limit.
  /// - Parameters:
  ///   - requests: The number of requests per period. A number below 1 counts as 1, and one above 1,000,000,000 as that.
  ///   - per: The length of the period. A period below 1 µs counts as 1 µs, and one above 100 years as that.
  ///   - burst: The number of requests that may be sent at once after a pause, with the same bounds as `requests`.
  ///     Default: 1; requests are then sent at even intervals.
  public init(requests: Int, per: Duration, burst: Int = 1) {
    self.requests = min(max(requests, 1), Self.largest)
    self.per = min(max(per, Self.shortest), .longest)
    self.burst = min(max(burst, 1), Self.largest)
  }

  /// The limit under which practically no request waits, for an origin that the limit of all origins is not for.
  public static let unlimited = RateLimit(requests: largest, per: shortest, burst: largest)
}

/// The rates at which a client sends requests (`ClientConfiguration.rateLimits`). Requests over a limit wait before they
/// take a slot, without a thread. They start by priority, and first in, first out within one priority. Waiting
/// requests age as those that wait for a slot do (`ConcurrencyLimits.ageing`).
///
/// Each attempt takes a token, so retries do, too. A redirect takes none, whatever its target. A client without rate
/// limits does no work for them.
public struct RateLimits: Sendable, Hashable {
  /// The limit of each origin (scheme, host and port) without its own limit. Each origin has its own bucket. Default:
  /// nil, for no limit.
  public var perOrigin: RateLimit?
  /// True if the client slows down when a server says that its quota is used up. Default: false.
  ///
  /// The client reads `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10), the earlier
  /// `RateLimit-Remaining` and `RateLimit-Reset`, the same two with `X-` before them, and `Retry-After` of a 429 or 503.
  /// When the server allows no more requests than those that are in flight already, further attempts wait until the
  /// server's reset. The wait concerns only the origin that sent the fields. If the request was sent with
  /// ``Request/rateLimited(by:_:)``, the wait concerns only the requests with its key. If the quota is that of a
  /// partition (`pk`), the wait concerns only requests with the same identity and credentials. Malformed fields are
  /// ignored.
  ///
  /// It is off by default, because with it a response can delay requests that have nothing to do with it for up to
  /// `maxServerWait`. A retry obeys `Retry-After` in any case.
  public var followsServer = false
  /// The longest time for which one response of a server makes requests wait. Default: 60 s.
  public var maxServerWait: Duration = .seconds(60)
  /// The limits of single origins, by the origin's canonical name.
  private var origins: [String: RateLimit] = [:]

  /// Creates limits.
  /// - Parameters:
  ///   - perOrigin: The limit of each origin without its own. Default: nil, for no limit.
  ///   - followsServer: True if the client slows down when a server says so. Default: false.
  public init(perOrigin: RateLimit? = nil, followsServer: Bool = false) {
    self.perOrigin = perOrigin
    self.followsServer = followsServer
  }

  /// The limit of the origin of this URL, of which only scheme, host and port matter. Nil for `perOrigin`. A URL
  /// without a host has no origin, and setting its limit changes nothing.
  ///
  /// ```swift
  /// configuration.rateLimits[apiURL] = RateLimit(requests: 10, per: .seconds(1))
  /// ```
  public subscript(origin: URL) -> RateLimit? {
    get { origins[Address(origin).originName] }
    set {
      let name = Address(origin).originName
      if !name.isEmpty { origins[name] = newValue }
    }
  }

  /// True if no request of the client can wait because of these limits.
  var areNone: Bool { perOrigin == nil && origins.isEmpty && !followsServer }

  /// Returns the limit of the origin with this canonical name.
  func limit(ofOrigin name: String) -> RateLimit? { origins[name] ?? perOrigin }
}

/// A request's own rate limit, for the requests with its key.
package struct RateRule: Sendable, Hashable {
  package let key: String
  package let limit: RateLimit
}

extension Request {
  /// Limits the rate of the requests with this key to one origin, such as those of one customer. A request must pass
  /// this limit and that of its origin. If the requests with one key have different limits, the newest request sets the
  /// limit from then on.
  /// - Parameters:
  ///   - key: The key that has a bucket. The same key at another origin has another bucket.
  ///   - limit: The limit of the requests with this key.
  public func rateLimited(by key: String, _ limit: RateLimit) -> Request {
    with { $0.options.rateRule = RateRule(key: key, limit: limit) }
  }
}
