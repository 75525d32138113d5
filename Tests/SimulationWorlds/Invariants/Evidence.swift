import ErrandCore
import ErrandTesting

/// All that is known of a world that has come to rest.
struct Evidence: Sendable {
  let plan: WorldPlan
  let callers: [Caller]
  let tries: [SimulatedTry]
  let mostInFlight: Int
  let hosts: [String: HostLoad]
  /// When and why each scope ended.
  let scopeEnds: [Int: Caller.Leave]
  let rest: Rest
  let shutdownTook: Duration
  private let triesByAsk: [Int: [SimulatedTry]]

  /// Those that own their call.
  var owners: [Caller] { callers.filter { $0.role == .owner } }

  /// In the order in which they began.
  func tries(of ask: Ask) -> [SimulatedTry] { triesByAsk[ask.id] ?? [] }
}

extension SimulatedTry {
  var ask: Int? { fields[Ask.idField].flatMap { Int($0) } }
}

#if os(Linux)
  extension Evidence {
    init(_ world: World, _ rest: Rest, shutdownTook: Duration) {
      plan = world.plan
      callers = world.ledger.callers
      tries = world.network.tries
      mostInFlight = world.network.mostInFlight
      hosts = world.network.hosts
      scopeEnds = world.ledger.scopeEnds
      self.rest = rest
      self.shutdownTook = shutdownTook
      triesByAsk = Dictionary(grouping: tries) { $0.ask ?? -1 }
    }
  }
#endif
