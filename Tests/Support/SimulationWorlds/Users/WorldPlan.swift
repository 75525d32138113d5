import ErrandCore
import ErrandTesting

/// The size and the faults of a world.
struct WorldPlan: Sendable {
  struct Shutdown: Sendable {
    let after: Duration
    let limit: Duration
  }

  /// If set, all times are multiples of it, so that many events happen at the same instant, in random order.
  let grid: Duration?
  let users: Int
  let steps: Int
  let conditions: NetworkConditions
  let timeout: Duration
  let hosts: [String]
  /// The time of a network partition, and its length.
  let partitions: [(start: Duration, length: Duration)]
  /// The time in which the machine reports that it has no network, and whether that is so.
  let outage: (start: Duration, length: Duration, isReal: Bool)?
  /// Set if the client is shut down while its users are active.
  let shutdown: Shutdown?
  let hasInterceptor: Bool
  let limits: ConcurrencyLimits
  /// The rate of the requests to each host; nil for any.
  let rate: RateLimit?
  /// True if the client slows down when a server says so.
  let followsServer: Bool
  /// The delay of second attempts; nil for none.
  let hedge: HedgeDelay?
  /// The time for which repeats are ignored, by group.
  let ignoring: [Duration]
  /// The policy for sharing responses, by group.
  let sharing: [SharingPolicy]
  let documents: [Document]
  /// True if every request uses the HTTP cache, and not only those that ask for it.
  let cachesAll: Bool
  /// True if the store of responses takes time.
  let hasSlowStore: Bool

  init(_ random: inout SeededRandom) {
    let grid: Duration? = random.once(in: 2) ? .milliseconds(50) : nil
    func fitted(_ duration: Duration) -> Duration { grid.map { duration.roundedUp(to: $0) } ?? duration }
    self.grid = grid
    users = Int.random(in: 1...4, using: &random)
    let steps = Int.random(in: 2...6, using: &random)
    var conditions = Bool.random(using: &random) ? NetworkConditions.bad : NetworkConditions()
    if Int.random(in: 0..<4, using: &random) == 0 { conditions.resets = 0.4 }
    if Int.random(in: 0..<4, using: &random) == 0 { conditions.serverErrors = 0.5 }
    conditions.piece = 1...32
    if let grid {
      conditions.latency = grid...grid
      conditions.service = grid...grid
      conditions.pause = .zero...(.zero)
    }
    self.conditions = conditions
    timeout = fitted(random.milliseconds(800...10_000))
    hosts = (0...Int.random(in: 0...2, using: &random)).map { "h\($0).test" }
    partitions = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      (fitted(random.milliseconds(0...10_000)), fitted(random.milliseconds(10...20_000)))
    }
    shutdown =
      random.once(in: 10)
      ? Shutdown(
        after: fitted(random.milliseconds(0...10_000)), limit: fitted(random.milliseconds(0...10_000)))
      : nil
    var limits = ConcurrencyLimits(total: Int.random(in: 1...6, using: &random))
    if random.once(in: 8) { limits.total = nil }
    limits.perOrigin = random.once(in: 3) ? Int.random(in: 1...3, using: &random) : nil
    limits.reserved = Int.random(in: 0...3, using: &random)
    limits.ageing = random.milliseconds(100...10_000)
    limits.eventStreams = random.once(in: 2) ? Int.random(in: 1...2, using: &random) : nil
    self.limits = limits
    ignoring = (0..<3).map { _ in fitted(random.milliseconds(1...5000)) }
    sharing = (0..<3).map { _ in
      SharingPolicy(
        window: random.once(in: 3) ? .zero : fitted(random.milliseconds(1...5000)),
        failures: random.once(in: 2) ? .replayed : .retried,
        whenAbandoned: random.once(in: 3) ? .finishes : .cancelled)
    }
    hasInterceptor = grid == nil && random.once(in: 3)
    var documents: [Document] = []
    for number in 0..<3 { documents.append(Document(&random, companion: number == 0 ? nil : number - 1)) }
    self.documents = documents
    cachesAll = random.once(in: 3)
    hasSlowStore = random.once(in: 4)
    rate =
      random.once(in: 4)
      ? RateLimit(
        requests: Int.random(in: 1...10, using: &random), per: fitted(random.milliseconds(200...3000)),
        burst: Int.random(in: 1...5, using: &random)) : nil
    followsServer = random.once(in: 6)
    hedge = random.once(in: 4) ? random.hedge() : nil
    outage =
      random.once(in: 2)
      ? (
        fitted(random.milliseconds(0...6000)), fitted(random.milliseconds(1000...12_000)),
        !random.once(in: 4)
      ) : nil
    // Of twenty requests, one may have a second attempt.
    self.steps = hedge == nil ? steps : 8 * steps
  }
}

extension Duration {
  /// Returns the next multiple of `step`, at least one `step`.
  func roundedUp(to step: Duration) -> Duration {
    step * max(1, Int((self / step).rounded(.up)))
  }
}

extension SeededRandom {
  fileprivate mutating func hedge() -> HedgeDelay {
    once(in: 3) ? .percentile(0.5) : .after(milliseconds(10...400))
  }
}
