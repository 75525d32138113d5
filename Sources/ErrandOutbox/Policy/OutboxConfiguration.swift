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
  /// The most requests in flight at once to servers that respond. The outbox has its own limits: it takes
  /// none of the client's slots. Default: 16.
  public var concurrency = 16
  /// The most of these to one origin: the same scheme, host and port. An origin begins with one, and each
  /// response allows one more. Requests with a key do not count. Default: 4.
  public var perOrigin = 4
  /// The most of these with one key (`OutboxItem.key`) to one origin. Default: 4.
  public var perKey = 4
  /// Returns the key of an item that has none; nil for its origin. It is called when a request is enqueued, and holds for
  /// that request. Default: none.
  ///
  /// ```swift
  /// configuration.keyOf = { $0.lane }
  /// ```
  public var keyOf: (@Sendable (OutboxItem) -> String?)?
  /// The most origins that are probed at once: origins of which it is unknown whether they respond get one
  /// request each, beside `concurrency`, so that those that hang take nothing from the others. An attempt
  /// hangs after a second without a response; up to twelve times as many may hang, each with a connection. Default: 64.
  public var probes = 64
  /// The effect on a lane when its first request is moved to the dead letters. Default: `skip`.
  public var lanes = LanePolicy.skip
  /// Returns the policy of a lane that has one of its own; nil for `lanes`. It is called when a request is
  /// enqueued, and holds for that request. Default: none.
  public var lanePolicy: (@Sendable (_ lane: String) -> LanePolicy?)?
  /// The most requests and bytes that the outbox holds.
  public var caps = OutboxCaps()
  /// How long a request may be stored, if the request does not say so itself. Nil for no limit. Default: nil.
  public var lifetime: Duration?
  /// How long the outbox keeps responses, and what it knows of requests that expired or were dropped.
  /// Default: 7 days.
  public var retention: Duration = .seconds(7 * 86_400)
  /// The most bytes of a response's body that are stored. Default: 64 KiB.
  public var responseLimit = 64 << 10
  /// The key that encrypts stored requests and their responses; nil for no encryption. Lanes, sizes, states
  /// and times are not encrypted. Default: nil.
  public var key: OutboxKey?
  /// True to read, with a key, also what was stored without one: for an outbox that gets a key after it was
  /// in use, until all that it held is delivered. Any program that can write to the folder can add such
  /// requests. Default: false, and they are refused.
  public var acceptsPlaintext = false
  /// How often the outbox looks for requests to deliver even if nothing signals any. At least 100 ms.
  /// Default: 60 s.
  public var pollInterval: Duration = .seconds(60)
  /// How long other processes leave a request alone that this process is attempting, should this process
  /// hang. The lease is renewed three times as often. The end of a process is noticed at once. At least 1 s.
  /// Default: 60 s.
  public var lease: Duration = .seconds(60)
  /// False to only store requests and read their states: nothing is delivered until `deliver()` is called.
  /// Default: true.
  public var delivers = true
  /// The header fields and query items that must not be written to disk, because they are credentials: a
  /// request with one is refused. The client's secrets are included. Default: no others.
  public var secrets: Secrets?
  /// Called when the store could not be written or read while delivering. The outbox repeats the operation
  /// later.
  public var onStoreFailure: (@Sendable (any Error) -> Void)?
  /// Reports whether there is a network; a hint. Default: the system's monitor.
  public var reachability: (any ReachabilityMonitor)? = Reachability.shared
  /// The clock that measures waits and leases. It must not stop while the machine sleeps: another process may
  /// have the requests then. Default: `ContinuousClock`.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The wall clock, for dates that servers send and for what is shown. Default: the system's clock.
  public var date: @Sendable () -> Date = { Date() }
  /// The source of jitter and identifiers. Default: the system's generator.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// Only requests for the origins of these URLs are delivered, with these keys. Nil for all. Default: nil.
  package var deliversOnly: [(url: URL, key: String?)]?
  /// Where files are read and written. Default: on queues.
  package var fileWork = FileWork.queued

  public init() {}
}

extension OutboxConfiguration {
  /// Returns the configuration with values that an outbox can work with: without a pause between two looks, it
  /// would do nothing else, without a lease, send nothing, and without an attempt, give up all.
  var bounded: OutboxConfiguration {
    var bounded = self
    bounded.pollInterval = max(pollInterval, .milliseconds(100))
    bounded.lease = max(lease, .seconds(1))
    bounded.delivery.maxAttempts = delivery.maxAttempts.map { max($0, 1) }
    bounded.delivery.giveUpAfter = delivery.giveUpAfter.map { max($0, .zero) }
    return bounded
  }

  /// The most bytes of a response that are held in memory. A longer response counts as a response, too: see
  /// `DeliveryDecision.standard`.
  var memoryLimit: Int { max(responseLimit, 1 << 20) }

  /// Reports that the store failed. A closed store is no failure.
  func report(_ error: any Error) {
    if let error = error as? OutboxError, error.code == .closed { return }
    onStoreFailure?(error)
  }

  /// Does work of the background, and reports its failure.
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
