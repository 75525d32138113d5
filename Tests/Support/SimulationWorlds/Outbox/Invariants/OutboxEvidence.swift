import ErrandCore
import ErrandOutbox
import ErrandTesting
import SimulationExecutor

/// The complete record of an outbox's world that has come to rest.
struct OutboxEvidence: Sendable {
  let plan: OutboxPlan
  let asks: [AskRecord]
  let steps: [RowStep]
  let follows: [Follow]
  /// The follows that had not ended when all activity had ended.
  let waiting: [Follow]
  let arrivals: [IdempotentServer.Arrival]
  let uploads: [ResumableUploads.Upload]
  let attempts: [SimulatedAttempt]
  let passes: [GrantedPass]
  /// The entries of the store at the end.
  let entries: [OutboxEntry]
  /// The number of bytes of each entry's response.
  let responses: [Int64]
  let statistics: OutboxStatistics
  /// The rows that still have their content.
  let contents: Set<OutboxID>
  let files: [String]
  /// The failures of the store.
  let failures: [String]
  /// The requests that were sent without a lease.
  let unleased: [String]
  /// The rows that could be attempted, but were not.
  let unattended: [String]
  let sleepers: Int
  let inFlight: Int
  private let stepsByRow: [OutboxID: [RowStep]]
  private let arrivalsByAsk: [Int: [IdempotentServer.Arrival]]
  private let entriesByRow: [OutboxID: OutboxEntry]

  /// Returns the steps in order.
  func steps(of ask: OutboxAsk) -> [RowStep] { stepsByRow[ask.row] ?? [] }
  func steps(of row: OutboxID) -> [RowStep] { stepsByRow[row] ?? [] }
  func arrivals(of ask: OutboxAsk) -> [IdempotentServer.Arrival] { arrivalsByAsk[ask.id] ?? [] }
  func entry(of ask: OutboxAsk) -> OutboxEntry? { entriesByRow[ask.row] }

  /// The requests whose rows have a step, in the order in which they were stored.
  var stored: [OutboxAsk] { asks.map(\.ask).filter { !steps(of: $0).isEmpty } }

  /// The requests of each lane in the order of enqueue.
  var lanes: [(lane: String, asks: [OutboxAsk])] {
    plan.lanes.map { lane in
      let asks = stored.filter { $0.lane == lane }
      return (lane, asks.sorted { (steps(of: $0)[0].index, $0.id) < (steps(of: $1)[0].index, $1.id) })
    }
  }
}

#if os(Linux)
  extension OutboxEvidence {
    init(
      _ world: OutboxWorld, entries: [OutboxEntry], responses: [Int64], statistics: OutboxStatistics,
      contents: Set<OutboxID>, files: [String], waiting: [Follow], unattended: [String], inFlight: Int
    ) {
      plan = world.plan
      asks = world.ledger.asks
      steps = world.ledger.steps
      follows = world.ledger.follows
      self.waiting = waiting
      self.unattended = unattended
      arrivals = world.server.arrivals
      uploads = world.server.uploads
      attempts = world.network.attempts
      passes = world.ledger.passes
      self.entries = entries
      self.responses = responses
      self.statistics = statistics
      self.contents = contents
      self.files = files
      failures = world.failures.withLock { $0 }
      unleased = world.ledger.unleased
      sleepers = world.simulation.clock.sleepers
      self.inFlight = inFlight
      stepsByRow = Dictionary(grouping: steps, by: \.row)
      arrivalsByAsk = Dictionary(grouping: arrivals, by: \.ask)
      entriesByRow = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
    }
  }
#endif
