#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxSQLite
  import ErrandReachability
  import ErrandTesting
  import SimulationExecutor

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension OutboxWorld {
    /// Opens the database, like a process that has just started.
    func open(_ owner: SimulatedOwner, _ bell: SimulatedBell) async throws -> SQLiteOutboxStore {
      var setup = StoreSetup()
      setup.vfs = "memdb"
      setup.runsInCaller = true
      setup.owners = owner
      setup.notifier = bell
      setup.time = { [machine] in machine.time }
      return try await SQLiteOutboxStore(folder: folder, setup: setup)
    }

    /// Starts a process.
    /// - Returns: Nil if it ended before it had its outbox.
    func launch(_ name: String, delivers: Bool = true) async -> Launch? {
      let number = nextLaunch()
      let process = SimulatedProcess("\(name), launch \(number)")
      ledger.note("\(process.name) starts")
      begin(process)
      let owner = SimulatedOwner(process.name, on: machine, defect)
      let bell = SimulatedBell(bells: bells, process: process, defect: defect)
      var store: SQLiteOutboxStore?
      do {
        let opened = try await open(owner, bell)
        store = opened
        let client = client(process, simulation.random(3000 + number))
        let outbox = try await Outbox(
          store: ProcessStore(
            opened, of: process, on: machine, ledger, simulation.clock, simulation.random(2000 + number),
            defect),
          folder: folder, client: client,
          configuration: configuration(process, simulation.random(1000 + number), delivers: delivers))
        let launch = Launch(process, outbox, opened, client, self)
        began(process, launch)
        return launch
      } catch {
        ledger.note("\(process.name) cannot open its outbox: \(error)")
        if !process.isGone { failures.withLock { $0.append("\(process.name): \(error)") } }
        process.die()
        await store?.abandon()
        owner.leave()
        began(process, nil)
        return nil
      }
    }

    private func client(_ process: SimulatedProcess, _ random: SeededRandom) -> Client {
      var configuration = ClientConfiguration()
      let clock = ProcessClock(clock: simulation.clock, process: process)
      configuration.clock = clock
      configuration.date = simulation.date
      configuration.random = random
      configuration.timeout = plan.timeout
      if let defect { configuration.interceptors = [OutboxSpoiling(defect: defect, clock: clock)] }
      return Client(
        transport: ProcessTransport(network: network, process: process, ledger: ledger),
        configuration: configuration)
    }

    private func configuration(
      _ process: SimulatedProcess, _ random: SeededRandom, delivers: Bool
    ) -> OutboxConfiguration {
      var configuration = OutboxConfiguration()
      configuration.delivery.backoff = plan.backoff
      configuration.delivery.maxBackoff = plan.maxBackoff
      configuration.delivery.maxAttempts = plan.maxAttempts
      configuration.concurrency = plan.concurrency
      configuration.lanes = plan.lanePolicy
      configuration.caps = plan.caps
      configuration.retention = plan.retention
      configuration.rateLimit = plan.rate
      configuration.pollInterval = plan.pollInterval
      configuration.lease = plan.lease
      configuration.delivers = delivers
      configuration.reachability = plan.hasReachability ? reachability : nil
      configuration.clock = ProcessClock(clock: simulation.clock, process: process)
      configuration.date = { [machine] in Date(milliseconds: machine.time.wall) }
      configuration.random = random
      configuration.fileWork = .inCaller(check: process.check)
      configuration.onStoreFailure = { [self] error in
        // The world itself has made the store unavailable for a while.
        if (error as? OutboxError)?.code == .busy { return }
        failures.withLock { $0.append("\(process.name): \(error)") }
      }
      return configuration
    }
  }
#endif
