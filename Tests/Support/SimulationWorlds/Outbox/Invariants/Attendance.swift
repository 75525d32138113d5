import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite

/// Watches rows that may be attempted while nothing fails and a process delivers. No such row may wait for
/// long.
struct Attendance: Sendable {
  /// Longer than any attempt takes, and shorter than many poll intervals.
  private static let limit = Duration.seconds(15)

  private let policy: LanePolicy
  /// The time between two attempts at one server.
  private let spacing: Duration
  private var since: [OutboxID: Duration] = [:]
  private(set) var violations: [String] = []

  /// - Parameter rate: The rate of each server, so that some rows wait for the rows before them.
  init(_ policy: LanePolicy, _ rate: RateLimit?) {
    self.policy = policy
    spacing = rate.map { $0.per / $0.requests } ?? .zero
  }

  /// Checks the rows at one moment.
  /// - Parameters:
  ///   - rows: All rows, in the order of enqueue.
  ///   - last: The last step of each row.
  mutating func look(
    at rows: [OutboxRow], _ last: [OutboxID: RowStep], held: Set<String>, _ machine: StoreTime, now: Duration
  ) {
    var takenLanes: Set<String> = []
    var found: [OutboxID: Duration] = [:]
    for row in rows {
      let isFirst = row.lane.map { !takenLanes.contains($0) } ?? true
      if let lane = row.lane, row.state.isOpen || (row.state == .deadLettered && policy == .block) {
        takenLanes.insert(lane)
      }
      guard row.state == .stored, isFirst, !held.contains(row.origin), isDue(row, last[row.id], machine)
      else {
        continue
      }
      let start = since[row.id] ?? now
      found[row.id] = start
      if now - start >= Self.limit + spacing * rows.count, violations.isEmpty {
        violations.append("\(row.id) could be attempted since \(start)")
      }
    }
    since = found
  }

  private func isDue(_ row: OutboxRow, _ last: RowStep?, _ machine: StoreTime) -> Bool {
    guard row.due != nil else { return true }
    guard case .failed(let next)? = last?.kind, last?.stored.boot == machine.boot else { return false }
    return (last?.stored.ticks ?? .max) + next.milliseconds < machine.ticks
  }
}
