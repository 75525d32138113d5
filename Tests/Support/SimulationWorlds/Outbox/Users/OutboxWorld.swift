#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxSQLite
  import ErrandTesting
  import SimulationExecutor

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A machine on which several processes share an outbox, with its network and the server of all requests.
  ///
  /// The database is in memory, and every connection to it is real; the files of requests are real files.
  final class OutboxWorld: Sendable {
    private struct State {
      var launches: [Launch] = []
      /// The processes that have no outbox yet.
      var starting: [SimulatedProcess] = []
      var lastLaunch: UInt64 = 0
    }

    let simulation: Simulation
    let plan: OutboxPlan
    let defect: OutboxDefect?
    let machine: SimulatedMachine
    let bells: SimulatedBells
    let server: IdempotentServer
    let network: SimulatedNetwork
    let ledger: OutboxLedger
    let reachability = ManualReachability()
    /// The folder for files; it is created with the first file, and the caller of the world removes it.
    let folder: URL
    /// Failures of the store that should not have happened.
    let failures = Locked<[String]>([])
    private let state = Locked(State())

    init(_ simulation: Simulation, in folder: URL, _ defect: OutboxDefect?, isTraced: Bool) {
      var random = simulation.random(1)
      plan = OutboxPlan(&random)
      self.simulation = simulation
      self.defect = defect
      self.folder = folder
      machine = SimulatedMachine(simulation.clock)
      bells = SimulatedBells(simulation.clock, simulation.random(4))
      server = IdempotentServer(simulation.random(5), plan.hosts)
      ledger = OutboxLedger(simulation.clock, machine, isTraced: isTraced)
      network = SimulatedNetwork(
        clock: simulation.clock, random: simulation.random(2), conditions: plan.conditions,
        server: server.response)
      for host in plan.hosts { network.change(to: host.conditions(in: plan.conditions), for: host.name) }
    }

    /// The launches that have not ended.
    var launches: [Launch] { state.withLock { $0.launches }.filter { !$0.process.isGone } }

    var starting: [SimulatedProcess] { state.withLock { $0.starting } }

    func begin(_ process: SimulatedProcess) { state.withLock { $0.starting.append(process) } }

    /// - Parameter launch: Nil if the launch failed.
    func began(_ process: SimulatedProcess, _ launch: Launch?) {
      state.withLock { state in
        state.starting.removeAll { $0 === process }
        state.launches.removeAll { $0.process.isGone }
        if let launch { state.launches.append(launch) }
      }
    }

    func forget() { state.withLock { $0.launches = [] } }

    func nextLaunch() -> UInt64 {
      state.withLock { state in
        state.lastLaunch += 1
        return state.lastLaunch
      }
    }

    func pause(_ duration: Duration) async { try? await simulation.clock.sleep(for: duration) }

    /// Lets the processes run, waits until all activity has ended, and collects the evidence.
    func live() async throws -> OutboxEvidence {
      // A database in memory exists as long as a connection to it is open.
      let anchorProcess = SimulatedProcess("the world")
      let anchor = try await open(
        SimulatedOwner(anchorProcess.name, on: machine, nil),
        SimulatedBell(bells: bells, process: anchorProcess, defect: nil))
      await withDiscardingTaskGroup { group in
        for number in 0..<plan.processes { group.addTask { await self.inhabit(number) } }
        group.addTask { await self.makeTrouble() }
      }
      let evidence = try await settle(anchor)
      await anchor.close()
      return evidence
    }
  }
#endif
