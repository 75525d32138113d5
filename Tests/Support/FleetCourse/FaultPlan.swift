import ErrandTesting

/// The faults of a fleet, one after another. Pure: it draws from a seed.
///
/// Each round has every kind of fault once, in a random order. Faults of one round hit different workers, so
/// that a frozen worker is not killed before its lease has expired.
package struct FaultPlan: Sendable {
  package enum Fault: Sendable, Hashable {
    /// A worker is killed, and another is started.
    case kill(worker: Int)
    /// A worker is stopped until its leases have expired, and then continues.
    case freeze(worker: Int)
    /// PostgreSQL ends without a checkpoint, and starts again.
    case restartDatabase
    /// The worker behind the proxy is cut off: its bytes are delayed past its leases and then delivered, or
    /// its connections are reset.
    case cutOff(resets: Bool)
    /// A worker gets a signal to stop, and another is started.
    case replace(worker: Int)
    /// PostgreSQL is unavailable for a long time: it has ended, or it is stalled and accepts connections
    /// without a response.
    case absence(isStalled: Bool)
    /// PostgreSQL's clock is set: the number of seconds by which it then differs from the machine's.
    case setClock(seconds: Int)
  }

  /// The number of workers; the last one is behind the proxy.
  private let workers: Int
  private var random: SeededRandom
  /// Whether PostgreSQL's clock can be set.
  private let setsClock: Bool
  private var rest: [Fault] = []
  /// The kind of the last absence, and the last setting of the clock.
  private var isStalled: Bool
  private var clock = 0
  /// The number of times that each kind was drawn, by its name.
  package private(set) var counts: [String: Int] = [:]
  /// The number of rounds that have ended.
  package private(set) var rounds = 0

  /// - Parameters:
  ///   - workers: At least five.
  ///   - setsClock: False if PostgreSQL's clock cannot be set.
  package init(workers: Int, seed: UInt64, setsClock: Bool = true) {
    self.workers = workers
    self.setsClock = setsClock
    random = SeededRandom(seed: seed)
    isStalled = Bool.random(using: &random)
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
    isStalled.toggle()
    var faults: [Fault] = [
      .kill(worker: chosen[0]), .kill(worker: chosen[1]), .freeze(worker: chosen[2]),
      .replace(worker: chosen[3]), .restartDatabase, .cutOff(resets: Bool.random(using: &random)),
      .absence(isStalled: isStalled),
    ]
    faults.shuffle(using: &random)
    guard setsClock else { return faults }
    // Once back and once forward, in either order.
    for _ in 0..<2 {
      faults.insert(.setClock(seconds: nextClock()), at: Int.random(in: 0...faults.count, using: &random))
    }
    return faults
  }

  /// Draws a new setting of the clock: one to six hours from the present one, on the other side of the
  /// machine's time.
  private mutating func nextClock() -> Int {
    let hours = Double.random(in: 1...3, using: &random)
    let isAhead = clock == 0 ? Bool.random(using: &random) : clock < 0
    clock = Int(hours * 3600) * (isAhead ? 1 : -1)
    return clock
  }
}

extension FaultPlan.Fault {
  package var name: String {
    switch self {
    case .kill: "workers killed"
    case .freeze: "workers frozen past their leases"
    case .restartDatabase: "immediate restarts of PostgreSQL"
    case .cutOff: "times a worker was cut off"
    case .replace: "workers stopped by a signal, and replaced"
    case .absence(let isStalled): isStalled ? "long stalls of PostgreSQL" : "long absences of PostgreSQL"
    case .setClock: "steps of PostgreSQL's clock"
    }
  }
}
