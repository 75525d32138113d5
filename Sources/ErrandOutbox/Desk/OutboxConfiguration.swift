public import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How an outbox keeps requests and delivers them.
public struct OutboxConfiguration: Sendable {
  /// How it tries, and what it takes for delivered.
  public var delivery = DeliveryPolicy()
  /// How many requests are tried at once, at most, at servers that answer. The outbox has limits of its own: it takes none of
  /// the client's slots. Default: 16.
  public var concurrency = 16
  /// How many of them at one origin: the same scheme, host and port. It begins with one, and each answer lets one more go.
  /// Default: 4.
  public var perOrigin = 4
  /// How many origins of which nobody knows whether they answer are tried at once, with one request each, beside
  /// `concurrency`: so those that hang take nothing from the others. An attempt without an answer for a second hangs; up to
  /// four times as many may hang. Default: 64.
  public var probes = 64
  /// What happens to a lane when its first request is set aside.
  public var lanes = LanePolicy.goOn
  /// How much it holds.
  public var caps = OutboxCaps()
  /// How long a request may be stored, if it does not say so itself. Nil for as long as it takes. Default: nil.
  public var lifetime: Duration?
  /// How long answers are kept, and what is known of requests that expired or were dropped. Default: 7 days.
  public var keepsAnswers: Duration = .seconds(7 * 86_400)
  /// The most bytes of an answer's body that are kept. Default: 64 KiB.
  public var answerLimit = 64 << 10
  /// Encrypts what is stored of requests and their answers. Lanes, sizes, states and times are not encrypted.
  public var key: OutboxKey?
  /// True to read, with a key, also what is not encrypted: for an outbox that is given a key after it was in use, until all that
  /// it held is delivered. Anybody who can write to the folder can add such requests. Default: false, and they are refused.
  public var acceptsPlaintext = false
  /// However quiet it is, it looks so often for something to deliver, as a net under everything else. Default: 60 s.
  public var beat: Duration = .seconds(60)
  /// How long a request that is being tried is kept from other processes, should this one stop without ending: it is renewed
  /// three times as often. A process that is gone is noticed at once. Default: 60 s.
  public var lease: Duration = .seconds(60)
  /// False to store and look only: nothing is delivered until `deliver()` is called. Default: true.
  public var delivers = true
  /// Which fields and query items may not be written to disk, because they are credentials: a request with one is refused.
  /// What the client holds secret is so here as well. Default: nothing besides.
  public var secrets: Secrets?
  /// Is told when the store could not be written or read while delivering; it is tried again.
  public var onStoreFailure: (@Sendable (any Error) -> Void)?
  /// Tells whether there is a network: a hint only. Default: the system's word.
  public var reachability: (any ReachabilityMonitor)? = Reachability.shared
  /// What waits are measured with.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// What is written down of the time. Default: the system's clocks.
  public var time: @Sendable () -> StoreTime = { StoreTime.now() }
  /// Where jitter and identifiers come from.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// Only what is for the same origins as these is delivered. Nil for everything. Default: nil.
  package var deliversOnly: [URL]?
  /// Where files are read and written. Default: on a queue.
  package var fileWork = FileWork.queued

  public init() {}
}

/// What happens to a lane when its first request is set aside.
public enum LanePolicy: Sendable, Hashable {
  /// The next one is tried.
  case goOn
  /// It waits until that request is tried again or dropped by hand.
  case hold
}
