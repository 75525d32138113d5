import ErrandTesting

/// What happens to a fleet, one fault after the other. Pure: it draws from a seed.
///
/// Each round has every kind of fault once, in an order of its own. Faults of one round are of different workers,
/// so that a worker that is frozen is not killed before its lease is over.
package struct FaultPlan: Sendable {
  package enum Fault: Sendable, Hashable {
    /// A worker is killed, and another is started.
    case kill(worker: Int)
    /// A worker is stopped until its leases are over, and then goes on.
    case freeze(worker: Int)
    /// PostgreSQL ends without a checkpoint, and starts again.
    case restartDatabase
    /// The worker behind the proxy is cut off: its bytes are held up past its leases, and then delivered late, or
    /// its connections are reset.
    case cutOff(resets: Bool)
    /// A worker is told to stop, and another is started.
    case replace(worker: Int)
  }

  /// The number of workers; the last one is behind the proxy.
  private let workers: Int
  private var random: SeededRandom
  private var rest: [Fault] = []
  /// How often each kind was drawn, by its name.
  package private(set) var counts: [String: Int] = [:]
  /// The number of rounds that are over.
  package private(set) var rounds = 0

  /// - Parameter workers: At least five.
  package init(workers: Int, seed: UInt64) {
    self.workers = workers
    random = SeededRandom(seed: seed)
  }

  /// Returns the next fault.
  package mutating func next() -> Fault {
    if rest.isEmpty { rest = round() }
    let fault = rest.removeLast()
    if rest.isEmpty { rounds += 1 }
    counts[fault.name, default: 0] += 1
    return fault
  }

  /// The time between two faults, in milliseconds.
  package mutating func pause() -> Int { Int.random(in: 200...900, using: &random) }

  private mutating func round() -> [Fault] {
    let chosen = Array((0..<workers - 1).shuffled(using: &random).prefix(4))
    let faults: [Fault] = [
      .kill(worker: chosen[0]), .kill(worker: chosen[1]), .freeze(worker: chosen[2]),
      .replace(worker: chosen[3]), .restartDatabase, .cutOff(resets: Bool.random(using: &random)),
    ]
    return faults.shuffled(using: &random)
  }
}

extension FaultPlan.Fault {
  package var name: String {
    switch self {
    case .kill: "workers killed"
    case .freeze: "workers frozen past their leases"
    case .restartDatabase: "immediate restarts of PostgreSQL"
    case .cutOff: "times a worker was cut off"
    case .replace: "workers told to stop, and replaced"
    }
  }
}
