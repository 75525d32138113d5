import ErrandCore
import PostgresCluster

/// Applies the faults of a plan to a fleet.
struct FleetFaults: Sendable {
  private let workers: FleetWorkers
  private let proxy: StallingProxy
  private let database: PostgresCluster
  private let record: FleetRecord
  private let settings: FleetCourse.Settings

  init(
    _ workers: FleetWorkers, _ proxy: StallingProxy, _ database: PostgresCluster, _ record: FleetRecord,
    _ settings: FleetCourse.Settings
  ) {
    self.workers = workers
    self.proxy = proxy
    self.database = database
    self.record = record
    self.settings = settings
  }

  /// Longer than a lease.
  private var tooLong: Duration { settings.lease + settings.lease / 2 }

  /// Begins one fault after another; long ones continue during the next ones.
  /// - Parameter isEnough: Called after each fault, with the number of complete rounds.
  /// - Returns: The number of times that each fault happened, after the last one has ended.
  /// - Parameter progress: Called with each fault as it begins.
  func run(progress: (String) -> Void, until isEnough: (Int) throws -> Bool) async throws -> [String: Int] {
    var plan = FaultPlan(workers: workers.count, seed: settings.seed, setsClock: settings.setsClock)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      var isBusy: Set<Int> = []
      repeat {
        let fault = plan.next()
        if isBusy.contains(fault.worker) {
          // The previous round froze this worker: wait for the end of that.
          try await group.waitForAll()
          isBusy = []
        }
        progress("\(record.now.formattedSeconds): \(fault)")
        switch fault {
        case .freeze(let worker):
          isBusy.insert(worker)
          group.addTask { try await workers.freeze(worker, for: tooLong) }
        case .cutOff(let resets):
          isBusy.insert(fault.worker)
          group.addTask { try await cutOff(resets: resets) }
        case .kill(let worker): try await workers.kill(worker)
        case .replace(let worker): try await workers.replace(worker)
        case .restartDatabase:
          try await record.duringTrouble {
            try await database.stop(.immediate)
            try await database.start()
          }
        case .absence(let isStalled): try await beAway(isStalled: isStalled)
        case .setClock(let seconds): try await setClock(to: seconds)
        }
        try await Task.sleep(for: .milliseconds(plan.pause()))
      } while try !isEnough(plan.rounds)
      try await group.waitForAll()
      return plan.counts
    }
  }

  private func cutOff(resets: Bool) async throws {
    try await workers.whileInTrouble(workers.count - 1) { _ in
      proxy.stall()
      try await Task.sleep(for: tooLong)
      if resets { proxy.reset() } else { proxy.resume() }
    }
  }

  /// Sets the database's clock, and waits until a worker has corrected the fleet's ticks.
  private func setClock(to seconds: Int) async throws {
    // Each worker that runs by now has listened for long enough to correct them.
    try await Task.sleep(for: settings.lease)
    let before = try await drift
    try await database.setClock(by: .seconds(seconds))
    let limit = ContinuousClock.now + Self.patience
    while try await drift == before {
      guard ContinuousClock.now < limit else {
        return record.note("no worker corrected the clock within \(Self.patience)")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// The number of milliseconds by which the fleet's ticks are ahead of the database's clock.
  private var drift: String {
    get async throws { try await database.psql("SELECT drift FROM errand.clock") }
  }

  /// Makes the database unavailable for a long time, and waits until requests are delivered again.
  private func beAway(isStalled: Bool) async throws {
    try await record.duringTrouble {
      if isStalled { try await database.stall() } else { try await database.stop() }
      try await Task.sleep(for: settings.absence)
      if isStalled { try await database.resume() } else { try await database.start() }
    }
    let (before, limit) = (record.delivered, ContinuousClock.now + Self.patience)
    while record.delivered == before, before < record.accepted {
      guard ContinuousClock.now < limit else {
        return record.note("nothing was delivered for \(Self.patience) after PostgreSQL was back")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// The time within which requests must be delivered again, and a clock be corrected.
  private static let patience = Duration.seconds(30)
}

extension FaultPlan.Fault {
  /// The place of the worker that has the fault; -1 for the database, -2 for the worker behind the proxy.
  fileprivate var worker: Int {
    switch self {
    case .kill(let worker), .freeze(let worker), .replace(let worker): worker
    case .restartDatabase, .absence, .setClock: -1
    case .cutOff: -2
    }
  }
}
