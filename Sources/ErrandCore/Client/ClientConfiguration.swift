#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The defaults of a client's requests.
public struct ClientConfiguration: Sendable {
  /// The URL that relative ones are below: with `https://example.com/v1`, both `.get("users")` and
  /// `.get("/users")` ask for `https://example.com/v1/users`. A relative URL cannot lead elsewhere (`..` in it
  /// is an error), and an absolute one is sent as it is. Default: none; a relative URL is an error then.
  ///
  /// Paths with values in them are best written as `URLPath`: `.get(.path("users/\(id)"))`.
  public var baseURL: URL?
  /// Makes the encoder of each `RequestBody.json(_:)` that has none of its own, each time such a request is sent. Keys
  /// are sorted, whatever its settings (a subclass of `JSONEncoder` has to do that itself). Nil, the default, for
  /// Foundation's.
  public var jsonEncoder: (@Sendable () -> JSONEncoder)?
  /// Makes the decoder of each `Response.decode(_:)` that has none of its own. Nil, the default, for
  /// Foundation's.
  public var jsonDecoder: (@Sendable () -> JSONDecoder)?
  /// Header fields sent with every request, unless it has its own of the same name.
  public var fields: HTTPFields = ["User-Agent": "Errand/\(ErrandVersion.current)"]
  /// An attempt ends when nothing has moved for this long: no connection made, no byte sent, none received.
  /// Default: 10 s.
  public var timeout: Duration = .seconds(10)
  /// An attempt ends when there is no connection after this time: with the look-up of the host, the proxy and the TLS
  /// handshake. Nil, the default, for `timeout`.
  ///
  /// URLSession does not tell when it has a connection: a `URLSessionTransport` refuses requests with a connect time-out.
  public var connectTimeout: Duration?
  /// The time after which the whole call, with all its attempts, ends. Default: none.
  public var deadline: Duration?
  /// The failures that are retried, how often and when.
  public var retry = RetryPolicy()
  /// The number of retries of all the client's requests together, so that they do not overload a server in
  /// trouble.
  public var retryBudget = RetryBudget()
  /// The number of requests on the wire at once, and their order. `Client.limits` changes it while the client
  /// runs.
  public var limits = ConcurrencyLimits()
  /// The store of cached responses (`Request.cached(as:_:)`). Default: in memory, 20 MiB.
  public var cache: any ResponseCache = MemoryResponseCache()
  /// Called when a response could not be cached or looked up; the request itself continues without the cache.
  public var onCacheFailure: (@Sendable (any Error) -> Void)?
  /// The identity that requests are sent with, if their own header fields do not show it (a token that an
  /// interceptor adds, a cookie of the transport's): interceptors run after responses are shared and looked
  /// up, so what they add cannot be compared. Responses are shared and cached only among requests of one
  /// identity; nil is one as well.
  public var identity: (@Sendable () -> String?)?
  /// The credential of requests, and the origins that it is for. Default: none.
  public var authentication: Authentication?
  /// Signs each attempt of the requests to `signerOrigins`. It does not sign requests that have another signer
  /// (`Request.signed(by:)`) or no signature (`Request.unsigned()`). Default: none.
  public var signer: (any RequestSigner)?
  /// The origins (scheme, host and port) that `signer` signs for: no other is sent its signature, or its session token.
  /// Default: that of `baseURL`. Without both, a request that `signer` would sign fails with a `RequestError`
  /// (`invalidRequest`).
  public var signerOrigins: [URL]?
  /// The cookies, kept apart for each identity. A request with a `Cookie` field of its own gets no others.
  /// Default: none; `Set-Cookie` is not obeyed.
  public var cookies: (any CookieJar)?
  /// The redirects that are followed.
  public var redirects = RedirectPolicy()
  /// The most bytes of one response that `send` holds in memory. Default: 64 MiB.
  public var memoryLimit = 64 << 20
  /// The most bytes of a file that `download` writes, unless the call has its own limit. Default: none.
  public var downloadLimit: Int64?
  /// The secrets, which no description may show and no other origin may receive.
  public var secrets = Secrets()
  /// The interceptors around each call, outermost first.
  public var interceptors: [any Interceptor] = []
  /// The interceptors around each attempt, outermost first.
  public var attemptInterceptors: [any Interceptor] = []
  /// The listeners to what happens to each call, in the order in which they are told. Default: none.
  public var listeners: [any EventListener] = []
  /// Distributed tracing of the calls. Default: none.
  public var tracing: Tracing?
  /// Listeners of which each client gets one for itself, by name.
  package var listenerMakers: [String: @Sendable () -> any EventListener] = [:]
  /// The clock that measures waits.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The wall clock, for dates that servers send.
  public var date: @Sendable () -> Date = { Date() }
  /// The source of the jitter.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  public init() {}
}

/// Errand's own version.
public enum ErrandVersion {
  public static let current = "0.1.0"
}
