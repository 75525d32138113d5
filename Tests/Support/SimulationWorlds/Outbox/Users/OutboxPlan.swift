import ErrandCore
import ErrandOutbox
import ErrandTesting

/// The size and the faults of an outbox's world.
struct OutboxPlan: Sendable {
  /// The number of processes that use the store, perhaps at the same time.
  let processes: Int
  /// The number of launches of each process.
  let launches: Int
  /// The number of actions in each launch.
  let steps: Int
  /// The number of faults: partitions, reboots, set clocks, frozen processes.
  let troubles: Int
  let conditions: NetworkConditions
  let timeout: Duration
  /// The servers; the first is an ordinary one.
  let hosts: [OutboxHost]
  let lanes: [String]
  let lanePolicy: LanePolicy
  let concurrency: Int
  let backoff: Duration
  let maxBackoff: Duration
  let maxAttempts: Int?
  let pollInterval: Duration
  let lease: Duration
  let retention: Duration
  /// The rate of the requests to one server, or to one of its customers; nil for any.
  let rate: RateLimit?
  let caps: OutboxCaps
  /// True if the outbox is notified of the state of the network.
  let hasReachability: Bool
  /// True if processes crash; otherwise they close their outbox.
  let crashes: Bool

  init(_ random: inout SeededRandom) {
    processes = Int.random(in: 1...3, using: &random)
    launches = Int.random(in: 1...3, using: &random)
    steps = Int.random(in: 1...4, using: &random)
    troubles = Int.random(in: 0...4, using: &random)
    var conditions = random.once(in: 3) ? NetworkConditions() : NetworkConditions.bad
    if random.once(in: 4) { conditions.resets = 0.4 }
    if random.once(in: 4) { conditions.loss = 0.3 }
    if random.once(in: 4) { conditions.serverErrors = 0.4 }
    if random.once(in: 4) { conditions.service = .milliseconds(1)...(.seconds(8)) }
    self.conditions = conditions
    hosts =
      [OutboxHost(.ordinary, 0)]
      + (0..<Int.random(in: 0...3, using: &random)).map { number in
        OutboxHost(OutboxHost.Nature.allCases.randomElement(using: &random) ?? .ordinary, number + 1)
      }
    timeout = random.milliseconds(1000...6000)
    lanes = (0..<Int.random(in: 1...3, using: &random)).map { "lane \($0)" }
    lanePolicy = random.once(in: 2) ? .block : .skip
    concurrency = Int.random(in: 1...5, using: &random)
    backoff = random.milliseconds(50...2000)
    maxBackoff = random.milliseconds(2000...60_000)
    maxAttempts = random.once(in: 2) ? Int.random(in: 3...8, using: &random) : nil
    pollInterval = random.milliseconds(5000...60_000)
    lease = random.milliseconds(5000...30_000)
    retention = random.once(in: 2) ? .seconds(7 * 86_400) : .seconds(3600)
    rate =
      random.once(in: 3)
      ? RateLimit(
        requests: Int.random(in: 1...5, using: &random), per: random.milliseconds(200...2000),
        burst: Int.random(in: 1...3, using: &random)) : nil
    var caps = OutboxCaps()
    if random.once(in: 4) {
      caps.count = Int.random(in: 3...8, using: &random)
      let rules: [OutboxCaps.Rule] = [.refuse, .dropOldest, .dropLeastImportant]
      caps.whenFull = rules[Int.random(in: rules.indices, using: &random)]
    }
    self.caps = caps
    hasReachability = random.once(in: 2)
    crashes = !random.once(in: 4)
  }
}
