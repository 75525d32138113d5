public import ErrandCore
public import ErrandReachability

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The settings of an outbox: how it stores requests and delivers them.
public struct OutboxConfiguration: Sendable {
  /// How the outbox attempts a request, and which response counts as delivered.
  public var delivery = DeliveryPolicy()
  /// The most requests in flight at once to servers that respond. The outbox has its own limits and takes
  /// none of the client's slots. Default: 16.
  public var concurrency = 16
  /// The most requests in flight at once to one origin (the same scheme, host and port). The limit of an
  /// origin begins at one, and each response raises it by one. Requests with a key do not count. Default: 4.
  public var perOrigin = 4
  /// The most requests in flight at once to one origin with one key (`OutboxItem.key`). Default: 4.
  public var perKey = 4
  /// Returns the key of an item that has no key; nil for the key of its origin. The outbox calls it when a
  /// request is enqueued, and stores the key with the request. Default: nil.
  ///
  /// ```swift
  /// configuration.keyOf = { $0.lane }
  /// ```
  public var keyOf: (@Sendable (OutboxItem) -> String?)?
  /// The rate at which requests are sent to one origin, or to one origin with one key (`OutboxItem.key`). It is that of
  /// all processes that share the outbox together, also of those on other machines, if they have the same limit. Each
  /// attempt counts. Requests over the limit stay stored, by priority, and take no capacity from other origins. A
  /// limited attempt costs one more transaction of the store. Nil for no limit. Default: nil.
  ///
  /// ```swift
  /// configuration.rateLimit = RateLimit(requests: 10, per: .seconds(1), burst: 5)
  /// ```
  ///
  /// Times of the store are in milliseconds, so with a `burst` of 1 the rate is at most 1000 in a second. A
  /// `BackgroundDelivery` has no rate limit.
  public var rateLimit: RateLimit?
  /// Returns the rate limit of an origin and of a key within it; nil for `rateLimit`. Default: nil.
  public var rateLimitOf: (@Sendable (_ origin: URL, _ key: String?) -> RateLimit?)?
  /// The most origins that are probed at once. An origin of which it is unknown whether it responds gets one
  /// request. Such requests do not count against `concurrency`, so that origins that hang do not block the
  /// others. An attempt hangs after a second without a response. Up to twelve times this number may hang,
  /// each with a connection. Default: 64.
  public var probes = 64
  /// The effect on a lane when its first request is moved to the dead letters. Default: `skip`.
  public var lanes = LanePolicy.skip
  /// Returns the policy of a lane; nil for `lanes`. The outbox calls it when a request is enqueued, and
  /// stores the policy with the request. Default: nil.
  public var lanePolicy: (@Sendable (_ lane: String) -> LanePolicy?)?
  /// The most requests and bytes that the outbox holds. Default: 1 GiB, any number of requests.
  public var caps = OutboxCaps()
  /// How long a request may be stored, unless the request sets its own expiry. Nil for no limit. Default:
  /// nil.
  public var lifetime: Duration?
  /// How long the outbox keeps responses and the records of requests that expired or were dropped. Default: 7
  /// days.
  public var retention: Duration = .seconds(7 * 86_400)
  /// The most bytes of a response's body that are stored. Default: 64 KiB.
  public var responseLimit = 64 << 10
  /// The key that encrypts stored requests and their responses; nil for no encryption. Lanes, sizes, states
  /// and times are not encrypted. Default: nil.
  public var key: OutboxKey?
  /// True to read requests that were stored without a key, although the outbox has one. Set it when an outbox
  /// in use gets a key, until its older requests are delivered. Any program that can write to the folder can
  /// add such requests. Default: false, and they are refused.
  public var acceptsPlaintext = false
  /// How often the outbox looks for requests to deliver even if no signal arrives. At least 100 ms. Default:
  /// 60 s.
  public var pollInterval: Duration = .seconds(60)
  /// How long other processes leave a request alone that this process is attempting, should this process
  /// hang. The outbox renews the lease three times as often. Other processes notice at once when this process
  /// ends. At least 1 s. Default: 60 s.
  public var lease: Duration = .seconds(60)
  /// False to only store requests and read their states: the outbox delivers nothing until `deliver()` is
  /// called. Default: true.
  public var delivers = true
  /// The header fields and query items that hold credentials and must not be written to disk. A request with
  /// one of them is refused. The secrets of the client are always included. Default: nil, no others.
  public var secrets: Secrets?
  /// Called when the store could not be written or read during delivery. The outbox repeats the operation
  /// later. Default: nil.
  public var onStoreFailure: (@Sendable (any Error) -> Void)?
  /// Reports whether there is a network. The outbox treats it as a hint; nil for no hints. Default: the
  /// system's monitor.
  public var reachability: (any ReachabilityMonitor)? = Reachability.shared
  /// The clock for the times that this process measures itself: its polls, the renewal of its leases, and limits such
  /// as that of `close(within:)`. It must not stop while the machine sleeps, because another process may take the
  /// requests over in that time. Default: `ContinuousClock`.
  ///
  /// The store measures backoff, leases and lifetimes by the clocks of the machine or of the database, because other
  /// processes use them as well. So an outbox does not run on a `VirtualClock`. In a test, set `delivery.backoff` to
  /// zero.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The wall clock, for dates that servers send and for dates that are shown. Default: the system's clock.
  public var date: @Sendable () -> Date = { Date() }
  /// The source of jitter and identifiers. Default: the system's generator.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// Only requests for the origins of these URLs are delivered, with these keys. Nil for all. Default: nil.
  package var deliversOnly: [(url: URL, key: String?)]?
  /// Where files are read and written. Default: on queues.
  package var fileWork = FileWork.queued

  /// Creates a configuration with the default values.
  public init() {}
}

extension OutboxConfiguration {
  /// Returns the configuration with values that an outbox can work with. Without a pause between two looks
  /// the outbox would do nothing else. Without a lease it would send nothing, and without an attempt it would
  /// give up every request.
  var bounded: OutboxConfiguration {
    var bounded = self
    bounded.pollInterval = max(pollInterval, .milliseconds(100))
    bounded.lease = max(lease, .seconds(1))
    bounded.delivery.maxAttempts = delivery.maxAttempts.map { max($0, 1) }
    bounded.delivery.giveUpAfter = delivery.giveUpAfter.map { max($0, .zero) }
    return bounded
  }

  /// The most bytes of a response that are held in memory. A longer response still counts as one: see
  /// `DeliveryDecision.standard`.
  var memoryLimit: Int { max(responseLimit, 1 << 20) }

  /// The rate limit of requests to this URL with this key.
  func rateLimit(_ url: @autoclosure () -> URL?, key: String?) -> RateLimit? {
    guard let rateLimitOf, let url = url() else { return rateLimit }
    return rateLimitOf(url, key) ?? rateLimit
  }

  /// Reports that the store failed. A closed store is not a failure.
  func report(_ error: any Error) {
    if let error = error as? OutboxError, error.code == .closed { return }
    onStoreFailure?(error)
  }

  /// Does background work, and reports its failure.
  func reportingFailure(of work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }
}

/// The effect on a lane when its first request is moved to the dead letters.
public enum LanePolicy: Sendable, Hashable {
  /// The next request of the lane is attempted.
  case skip
  /// The lane waits until that request is retried or dropped by hand.
  case block
}
