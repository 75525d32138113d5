import ErrandCore
import ErrandTesting

/// The complete record of a world that has come to rest.
struct Evidence: Sendable {
  let plan: WorldPlan
  let callers: [Caller]
  let attempts: [SimulatedAttempt]
  let mostInFlight: Int
  let hosts: [String: HostLoad]
  /// The time and reason of each scope's end.
  let scopeEnds: [Int: Caller.Leave]
  let rest: Rest
  let shutdownTook: Duration
  let listeners: [Listener]
  let served: [Int: DocumentServer.Served]
  /// The versions of the notes, by the indices of the attempts.
  let notes: [Int: Int]
  /// The time in which the machine reported that it had no network.
  let outage: (start: Duration, end: Duration)?
  private let attemptsByAsk: [Int: [SimulatedAttempt]]

  /// The callers that own their call.
  var owners: [Caller] { callers.filter { $0.role == .owner } }

  /// Returns the attempts of a request in the order in which they began.
  func attempts(of ask: Ask) -> [SimulatedAttempt] { attemptsByAsk[ask.id] ?? [] }
}

extension SimulatedAttempt {
  var ask: Int? { fields[Ask.idField].flatMap { Int($0) } }
}

#if os(Linux)
  extension Evidence {
    init(_ world: World, _ rest: Rest, shutdownTook: Duration) {
      plan = world.plan
      callers = world.ledger.callers
      attempts = world.network.attempts
      mostInFlight = world.network.mostInFlight
      hosts = world.network.hosts
      scopeEnds = world.ledger.scopeEnds
      listeners = world.ledger.listeners
      served = world.documents.served
      notes = world.notes.served
      outage = world.ledger.outage
      self.rest = rest
      self.shutdownTook = shutdownTook
      attemptsByAsk = Dictionary(grouping: attempts) { $0.ask ?? -1 }
    }
  }
#endif
