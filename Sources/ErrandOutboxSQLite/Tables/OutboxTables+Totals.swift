import ErrandOutbox

/// The number of rows and bytes of each state, stored in a table so that they need not be counted. The totals
/// are written once in each transaction, at its end.
extension OutboxTables {
  private static let change = Query(
    "UPDATE totals SET count = count + ?2, bytes = bytes + ?3 WHERE state = ?1")
  private static let usage = Query(
    """
    SELECT sum(iif(state IN (0, 1, 3), count, 0)), sum(iif(state IN (0, 1, 3), bytes, 0)),
      sum(iif(state IN (0, 1, 3), 0, bytes))
    FROM totals
    """)
  private static let all = Query("SELECT state, count, bytes FROM totals")

  func writeTotals() throws {
    for (state, change) in counters.changes.enumerated() where change != (0, 0) {
      try database.run(Self.change, [.integer(state), .integer(change.count), .integer(change.bytes)])
    }
    known.usage?.add(counters)
    counters = Counters()
  }

  /// Returns the numbers that the caps limit, including this transaction's changes.
  func usage() throws -> Usage {
    let written = try known.usage ?? writtenUsage()
    known.usage = written
    var usage = written
    usage.add(counters)
    return usage
  }

  private func writtenUsage() throws -> Usage {
    try database.first(Self.usage) {
      Usage(count: Int($0.integer(0)), bytes: $0.integer(1), overBytes: $0.integer(2))
    } ?? Usage()
  }

  /// Returns the stored totals, without the changes of the current transaction.
  func totals() throws -> [OutboxState: (count: Int, bytes: Int64)] {
    var totals: [OutboxState: (count: Int, bytes: Int64)] = [:]
    for (state, count, bytes) in try database.all(
      Self.all, [], { ($0.integer(0), $0.integer(1), $0.integer(2)) })
    {
      if let state = OutboxState(rawValue: Int(state)) { totals[state] = (Int(count), bytes) }
    }
    return totals
  }
}
