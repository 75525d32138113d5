import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks the invariants of all rows of a store.
struct OutboxStoreAudit {
  private let rows: [OutboxRow]

  init(_ rows: [OutboxRow]) { self.rows = rows }

  func check(_ statistics: OutboxStatistics) throws {
    try checkOrder()
    try checkLanes()
    try checkRows()
    try checkTotals(statistics)
  }

  /// Compares the counts of lanes with the rows.
  func check(_ lanes: [LaneStatistics]) throws {
    let live = rows.filter { $0.state.isOpen || $0.state == .deadLettered }
    let expected = Dictionary(grouping: live) { row in row.lane.map { ExactBytes($0) } }
      .values.sorted { $0[0].sequence < $1[0].sequence }
      .map { rows in
        LaneStatistics(
          lane: rows[0].lane, counts: Dictionary(grouping: rows, by: \.state).mapValues(\.count),
          oldest: Date(milliseconds: rows[0].created))
      }
    if lanes != expected {
      throw ConformanceFailure("the statistics of the lanes are \(lanes), but the rows give \(expected)")
    }
  }

  private func checkOrder() throws {
    for (earlier, later) in zip(rows, rows.dropFirst()) where earlier.sequence >= later.sequence {
      throw ConformanceFailure("\(later.id) is listed after \(earlier.id), but was stored before it")
    }
    if Set(rows.map(\.id)).count != rows.count { throw ConformanceFailure("a row is listed twice") }
  }

  private func checkLanes() throws {
    let lanes = Dictionary(grouping: rows.filter { $0.state == .attempting && $0.lane != nil }) { row in
      row.lane.map { ExactBytes($0) }
    }
    for attempting in lanes.values where attempting.count > 1 {
      let lane = attempting[0].lane ?? ""
      throw ConformanceFailure("\(attempting.map(\.id)) of lane \(lane) are being attempted at once")
    }
  }

  private func checkRows() throws {
    for row in rows {
      if row.state != .stored && row.due != nil {
        throw ConformanceFailure("\(row.id) has a due time, but is not stored")
      }
      if row.attempts < row.countedAttempts || row.countedAttempts < 0 {
        throw ConformanceFailure(
          "\(row.id) has \(row.attempts) attempts, of which \(row.countedAttempts) count")
      }
      if row.response != nil && row.state != .delivered && row.state != .deadLettered {
        throw ConformanceFailure("\(row.id) is \(row.state), but has a response")
      }
    }
  }

  private func checkTotals(_ statistics: OutboxStatistics) throws {
    for state in OutboxState.allCases {
      let count = rows.count { $0.state == state }
      if statistics.counts[state, default: 0] != count {
        throw ConformanceFailure(
          "the statistics count \(statistics.counts[state, default: 0]) rows as \(state), but there are \(count)"
        )
      }
    }
    let live = rows.filter { $0.state.isOpen || $0.state == .deadLettered }
    let bytes = live.reduce(0) { $0 + $1.size + Int64($1.response?.count ?? 0) }
    if statistics.bytes != bytes {
      throw ConformanceFailure("the statistics count \(statistics.bytes) bytes, but the rows have \(bytes)")
    }
    let over = rows.filter { !$0.state.isOpen && $0.state != .deadLettered }
    let least = over.reduce(bytes) {
      $0 + Int64($1.response?.count ?? 0) + ($1.state == .expired ? $1.size : 0)
    }
    if statistics.bytesInAll < least {
      throw ConformanceFailure(
        "the statistics count \(statistics.bytesInAll) bytes in all, but the rows have at least \(least)")
    }
    if statistics.oldest != rows.first(where: { $0.state.isOpen })?.created {
      throw ConformanceFailure(
        "the oldest unfinished row was not stored at \(statistics.oldest.map { "\($0)" } ?? "nil")")
    }
  }
}
