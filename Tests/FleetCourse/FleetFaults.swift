import ErrandCore
import PostgresCluster

/// Does to a fleet what a plan says.
struct FleetFaults: Sendable {
  private let workers: FleetWorkers
  private let proxy: StallingProxy
  private let database: PostgresCluster
  /// Longer than a lease.
  private let tooLong: Duration

  init(_ workers: FleetWorkers, _ proxy: StallingProxy, _ database: PostgresCluster, lease: Duration) {
    self.workers = workers
    self.proxy = proxy
    self.database = database
    tooLong = lease + lease / 2
  }

  /// Begins one fault after the other; those that take long go on beside the next ones.
  /// - Parameter isEnough: Asked after each fault, with the number of whole rounds.
  /// - Returns: How often each fault happened, once the last one is over.
  func run(seed: UInt64, until isEnough: (Int) throws -> Bool) async throws -> [String: Int] {
    var plan = FaultPlan(workers: workers.count, seed: seed)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      var isBusy: Set<Int> = []
      repeat {
        let fault = plan.next()
        if isBusy.contains(fault.worker) {
          // The round before it froze this worker: wait for its end.
          try await group.waitForAll()
          isBusy = []
        }
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
          try await database.stop(.immediate)
          try await database.start()
        }
        try await Task.sleep(for: .milliseconds(plan.pause()))
      } while try !isEnough(plan.rounds)
      try await group.waitForAll()
      return plan.counts
    }
  }

  private func cutOff(resets: Bool) async throws {
    proxy.stall()
    try await Task.sleep(for: tooLong)
    if resets { proxy.reset() } else { proxy.resume() }
  }
}

extension FaultPlan.Fault {
  /// The place of the worker that it is about; -1 for the database, -2 for the worker behind the proxy.
  fileprivate var worker: Int {
    switch self {
    case .kill(let worker), .freeze(let worker), .replace(let worker): worker
    case .restartDatabase: -1
    case .cutOff: -2
    }
  }
}
