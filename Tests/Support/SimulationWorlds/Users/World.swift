import ErrandCore
import ErrandReachability
import ErrandTesting
import SimulationExecutor

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if os(Linux)
  /// A client, its network, its simulated users, and their outcomes.
  final class World: Sendable {
    let simulation: Simulation
    let plan: WorldPlan
    let network: SimulatedNetwork
    let client: Client
    let ledger: Ledger
    let tokens = LiveTokens()
    let activity: RequestActivity
    let documents: DocumentServer
    let notes = NoteServer()
    let reachability = ManualReachability()
    /// The parent of all stacks, which also has requests of its users. It never ends.
    let app = RequestScope("app")
    /// The server that is asked at the end for each slot.
    static let probe = "http://probe.test/"
    let defect: Defect?

    init(_ simulation: Simulation, _ ledger: Ledger, _ defect: Defect?) {
      var random = simulation.random(1)
      plan = WorldPlan(&random)
      self.simulation = simulation
      activity = RequestActivity(clock: simulation.clock)
      self.ledger = ledger
      self.defect = defect
      let documents = DocumentServer(plan.documents, date: simulation.date)
      self.documents = documents
      network = SimulatedNetwork(
        clock: simulation.clock, random: simulation.random(2), conditions: plan.conditions
      ) { [notes] arrived in
        let response =
          documents.response(to: arrived) ?? EventServer.response(to: arrived) ?? notes.response(to: arrived)
        if let response { return response }
        return SimulatedResponse(
          status: arrived.path.hasPrefix("/missing") ? 404 : 200,
          text: Echo.text(of: arrived.index, length: arrived.path.count * 7 % 50))
      }
      var configuration = ClientConfiguration()
      configuration.clock = simulation.clock
      configuration.date = simulation.date
      configuration.random = simulation.random(3)
      configuration.timeout = plan.timeout
      configuration.limits = plan.limits
      configuration.rateLimits = RateLimits(perOrigin: plan.rate, followsServer: plan.followsServer)
      if let probe = URL(string: Self.probe) { configuration.rateLimits[probe] = .unlimited }
      configuration.hedging = plan.hedge
      var store: any ResponseCache = MemoryResponseCache()
      if plan.hasSlowStore { store = SlowCache(store, clock: simulation.clock, random: simulation.random(4)) }
      store = defect?.spoil(store, simulation.date) ?? store
      configuration.cache = plan.cachesAll ? .http(store) : store
      if plan.hasInterceptor { configuration.interceptors = [Loitering(clock: simulation.clock)] }
      defect?.spoil(&configuration, simulation.clock)
      client = Client(
        transport: defect?.spoil(network, simulation.clock) ?? network, configuration: configuration)
    }

    var now: Duration { simulation.clock.now.offset }

    func pause(_ duration: Duration) async {
      try? await simulation.clock.sleep(for: plan.grid.map { duration.roundedUp(to: $0) } ?? duration)
    }

    /// Lets the users run, waits until all activity has ended, and shuts the client down.
    func live() async -> Evidence {
      await withDiscardingTaskGroup { group in
        for number in 0..<plan.users { group.addTask { await User(number, self).live() } }
        for partition in plan.partitions {
          group.addTask {
            await self.pause(partition.start)
            self.ledger.note("partition for \(partition.length)", at: self.now)
            self.network.partition(for: partition.length)
          }
        }
        if let outage = plan.outage {
          group.addTask {
            await self.pause(outage.start)
            self.ledger.beginOutage(at: self.now)
            self.reachability.set(.offline)
            if outage.isReal { self.network.partition(for: outage.length) }
            await self.pause(outage.length)
            self.ledger.endOutage(at: self.now)
            self.reachability.set(.online)
          }
        }
        if let shutdown = plan.shutdown {
          group.addTask {
            await self.pause(shutdown.after)
            self.ledger.note("shutdown within \(shutdown.limit)", at: self.now)
            await self.client.shutdown(
              within: self.defect == .isSlowToShutDown ? shutdown.limit + .seconds(5) : shutdown.limit)
          }
        }
      }
      // Longer than any window, cache or timer of a client.
      await pause(.seconds(3600))
      var rest = Rest(
        held: tokens.alive, sleepers: simulation.clock.sleepers, inFlight: network.inFlight,
        shown: activity.count, inScopes: app.count)
      rest.lostSlots = await lostSlots()
      let quiet = now
      await client.shutdown()
      return Evidence(self, rest, shutdownTook: now - quiet)
    }
  }
#endif
