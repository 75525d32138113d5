import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Counts the rows of each lane from indexes. Only dead letters, and the first row of each lane, are read.
extension OutboxTables {
  private static let queued = Query(
    """
    SELECT lane, number, first, (SELECT created FROM requests WHERE seq = first) FROM (
      SELECT lane, count(*) AS number, min(seq) AS first FROM requests INDEXED BY by_lane
      WHERE lane IS NOT NULL AND queued = 1 GROUP BY lane)
    """)
  private static let attempting = Query(
    """
    SELECT lane, number, first, (SELECT created FROM requests WHERE seq = first) FROM (
      SELECT lane, count(*) AS number, min(seq) AS first FROM requests INDEXED BY leased
      WHERE state = 1 GROUP BY lane)
    """)
  private static let dead = Query(
    """
    SELECT lane, number, first, (SELECT created FROM requests WHERE seq = first), in_lane FROM (
      SELECT lane, count(*) AS number, min(seq) AS first, sum(queued) AS in_lane
      FROM requests INDEXED BY by_turn WHERE turn = 2 GROUP BY lane)
    """)
  /// The first row without a lane. Such rows may be claimed or wait for their time, and are not heads of
  /// lanes.
  private static let firstWithoutLane = Query(
    """
    SELECT first, (SELECT created FROM requests WHERE seq = first) FROM (SELECT min(first) AS first FROM (
      SELECT min(seq) AS first FROM requests INDEXED BY by_turn WHERE turn = 1 AND seq NOT IN (
        SELECT seq FROM requests INDEXED BY heads WHERE head > 0 AND lane IS NOT NULL)
      UNION ALL
      SELECT min(seq) FROM requests INDEXED BY waiting WHERE state = 0 AND head = 1 AND due > 0 AND seq NOT IN (
        SELECT seq FROM requests INDEXED BY heads WHERE head > 0 AND lane IS NOT NULL)))
    """)

  /// The rows of a lane in some states.
  private struct Tally {
    let lane: String?
    let count: Int
    let first: Int64
    let created: Int64
    /// The number of dead letters that block the lane.
    let blocking: Int

    init(_ statement: Statement, hasBlocking: Bool) {
      lane = statement.text(0)
      count = Int(statement.integer(1))
      first = statement.integer(2)
      created = statement.integer(3)
      blocking = hasBlocking ? Int(statement.integer(4)) : 0
    }

    /// The stored rows that have no lane.
    init(without count: Int, first: Int64, created: Int64) {
      (lane, self.count, self.first, self.created, blocking) = (nil, count, first, created, 0)
    }
  }

  private struct Lane {
    let name: String?
    var first: Int64
    var created: Int64
    var counts: [OutboxState: Int] = [:]

    mutating func add(_ state: OutboxState, _ count: Int) { counts[state, default: 0] += count }
  }

  func laneStatistics() throws -> [LaneStatistics] {
    var lanes: [ExactBytes?: Lane] = [:]
    func add(_ tally: Tally, as state: OutboxState) {
      let key = tally.lane.map { ExactBytes($0) }
      var lane = lanes[key] ?? Lane(name: tally.lane, first: tally.first, created: tally.created)
      if tally.first < lane.first { (lane.first, lane.created) = (tally.first, tally.created) }
      lane.add(state, tally.count)
      lanes[key] = lane
    }
    var stored = try totals()[.stored]?.count ?? 0
    for tally in try database.all(Self.queued, [], { Tally($0, hasBlocking: false) }) {
      add(tally, as: .stored)
      stored -= tally.count
    }
    for tally in try database.all(Self.attempting, [], { Tally($0, hasBlocking: false) }) {
      add(tally, as: .attempting)
      // A row that is being attempted is in its lane, and was counted as stored.
      guard let lane = tally.lane else { continue }
      lanes[ExactBytes(lane)]?.add(.stored, -tally.count)
      stored += tally.count
    }
    for tally in try database.all(Self.dead, [], { Tally($0, hasBlocking: true) }) {
      add(tally, as: .deadLettered)
      guard let lane = tally.lane else { continue }
      lanes[ExactBytes(lane)]?.add(.stored, -tally.blocking)
      stored += tally.blocking
    }
    if stored > 0, let (first, created) = try firstWithoutLane() {
      add(Tally(without: stored, first: first, created: created), as: .stored)
    }
    return lanes.values.sorted { $0.first < $1.first }.map { lane in
      LaneStatistics(
        lane: lane.name, counts: lane.counts.filter { $0.value > 0 },
        oldest: Date(milliseconds: lane.created))
    }
  }

  private func firstWithoutLane() throws -> (first: Int64, created: Int64)? {
    try database.first(Self.firstWithoutLane) { statement in
      statement.isNull(0) ? nil : (statement.integer(0), statement.integer(1))
    } ?? nil
  }
}
