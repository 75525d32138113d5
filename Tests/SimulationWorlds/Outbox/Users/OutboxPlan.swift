import ErrandCore
import ErrandOutbox
import ErrandTesting

/// How large and how bad an outbox's world is.
struct OutboxPlan: Sendable {
  /// Processes that use the store, perhaps at the same time.
  let processes: Int
  /// How often each is started.
  let launches: Int
  /// What is done in each launch.
  let steps: Int
  /// Partitions, reboots, set clocks, processes that stand still.
  let troubles: Int
  let conditions: NetworkConditions
  let timeout: Duration
  /// The first is an ordinary one.
  let hosts: [OutboxHost]
  let lanes: [String]
  let lanePolicy: LanePolicy
  let concurrency: Int
  let backoff: Duration
  let maxBackoff: Duration
  let maxTries: Int?
  let beat: Duration
  let lease: Duration
  let keepsAnswers: Duration
  let caps: OutboxCaps
  /// True if somebody tells whether there is a network.
  let hasReachability: Bool
  /// True if processes crash; else they end in good order.
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
    lanePolicy = random.once(in: 2) ? .hold : .goOn
    concurrency = Int.random(in: 1...5, using: &random)
    backoff = random.milliseconds(50...2000)
    maxBackoff = random.milliseconds(2000...60_000)
    maxTries = random.once(in: 2) ? Int.random(in: 3...8, using: &random) : nil
    beat = random.milliseconds(5000...60_000)
    lease = random.milliseconds(5000...30_000)
    keepsAnswers = random.once(in: 2) ? .seconds(7 * 86_400) : .seconds(3600)
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
