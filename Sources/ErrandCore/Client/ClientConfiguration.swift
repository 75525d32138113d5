#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The settings of a client, including the defaults of its requests.
public struct ClientConfiguration: Sendable {
  /// The base of relative URLs: with `https://example.com/v1`, both `.get("users")` and `.get("/users")`
  /// request `https://example.com/v1/users`. A relative URL cannot leave the base (`..` in it is an error),
  /// and an absolute URL is not changed. Default: nil; a relative URL is an error then.
  ///
  /// Write paths that contain values as `URLPath`: `.get(.path("users/\(id)"))`.
  public var baseURL: URL?
  /// Makes the encoder of a `RequestBody.json(_:)` body, each time its request is sent. Keys are sorted,
  /// whatever the encoder's settings (a subclass of `JSONEncoder` has to sort them itself). Default: nil, for
  /// Foundation's encoder.
  public var jsonEncoder: (@Sendable () -> JSONEncoder)?
  /// Makes the decoder of `Response.decode(_:)`, unless the call passes one. Default: nil, for Foundation's
  /// decoder.
  public var jsonDecoder: (@Sendable () -> JSONDecoder)?
  /// The header fields sent with every request, to any origin, unless the request sets fields of the same name.
  /// Of several lines with one name only the first is sent. Credentials belong in `authentication`, which names
  /// their origins. Default: `User-Agent`, with Errand's name and version.
  public var fields: HTTPFields = ["User-Agent": "Errand/\(ErrandVersion.current)"]
  /// The time-out: an attempt fails when no connection was made and no byte was sent or received for this
  /// long. Default: 10 s.
  public var timeout: Duration = .seconds(10)
  /// The time in which an attempt must be connected, including the look-up of the host, the proxy and the TLS
  /// handshake. Default: nil, for `timeout`.
  ///
  /// URLSession does not report when it is connected, so a `URLSessionTransport` refuses requests with a
  /// connect time-out.
  public var connectTimeout: Duration?
  /// The time after which the whole call ends, with all its attempts. Default: nil, for no deadline.
  public var deadline: Duration?
  /// The policy for retries: the failures after which there is another attempt, the number of attempts and
  /// the waits.
  public var retry = RetryPolicy()
  /// The limit on the retries of all the client's requests together, so that they do not overload a server in
  /// trouble.
  public var retryBudget = RetryBudget()
  /// The time after which requests get a second attempt beside the first, as with ``Request/hedged(after:)-(HedgeDelay)``. With an
  /// invalid time, each request fails with a `RequestError` (`invalidRequest`). Default: nil, for no second attempts.
  public var hedging: HedgeDelay?
  /// The limits on the requests on the wire at once, and their order. `Client.limits` changes them while the
  /// client runs.
  public var limits = ConcurrencyLimits()
  /// The rates at which requests are sent. Default: no limits.
  public var rateLimits = RateLimits()
  /// The store of cached responses (`Request.cached(as:_:)`). Default: in memory, 20 MiB.
  public var cache: any ResponseCache = MemoryResponseCache()
  /// Called when a response could not be cached or looked up. The request itself continues without the cache.
  public var onCacheFailure: (@Sendable (any Error) -> Void)?
  /// Returns the identity that requests are sent with, if their header fields do not show it, such as a token
  /// that an interceptor adds or a cookie of the transport. Interceptors run after responses are shared and
  /// looked up, so fields that they add cannot be compared. Responses are shared and cached only among
  /// requests of one identity; nil is an identity as well.
  public var identity: (@Sendable () -> String?)?
  /// The credential of requests, and the origins that it is for. Default: nil.
  public var authentication: Authentication?
  /// Signs each attempt of the requests to `signerOrigins`, except requests with another signer
  /// (`Request.signed(by:)`) or without signature (`Request.unsigned()`). Default: nil.
  public var signer: (any RequestSigner)?
  /// The origins (scheme, host and port) that `signer` signs for. No other origin receives its signature or
  /// its session token. Default: the origin of `baseURL`. Without both, a request that `signer` would sign
  /// fails with a `RequestError` (`invalidRequest`).
  public var signerOrigins: [URL]?
  /// The cookies, kept apart for each identity. A request that sets a `Cookie` field gets no others. Default:
  /// nil; `Set-Cookie` is ignored.
  public var cookies: (any CookieJar)?
  /// The policy for redirects.
  public var redirects = RedirectPolicy()
  /// The maximum number of bytes of one response that `send` holds in memory. Default: 64 MiB.
  public var memoryLimit = 64 << 20
  /// The maximum number of bytes of a file that `download` writes, unless the call sets a limit. Default:
  /// nil.
  public var downloadLimit: Int64?
  /// The secrets, which no description may show and no other origin may receive.
  public var secrets = Secrets()
  /// The interceptors around each call, outermost first.
  public var interceptors: [any Interceptor] = []
  /// The interceptors around each attempt, outermost first.
  public var attemptInterceptors: [any Interceptor] = []
  /// The listeners that receive the events of each call, in this order. Default: empty.
  public var listeners: [any EventListener] = []
  /// The distributed tracing of the calls. Default: nil.
  public var tracing: Tracing?
  /// Makes further listeners, one of each for each client, by name.
  package var listenerMakers: [String: @Sendable () -> any EventListener] = [:]
  /// The clock that measures waits.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// Returns the current date, for dates that servers send. Default: the system's clock.
  public var date: @Sendable () -> Date = { Date() }
  /// The source of the jitter in waits between attempts.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  /// Makes a configuration with the defaults.
  public init() {}
}
