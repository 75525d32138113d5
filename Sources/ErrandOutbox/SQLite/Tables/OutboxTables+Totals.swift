/// How many rows there are of each state, and of how many bytes, is kept beside them, so that nobody has to count. It is
/// written once in each transaction, at its end.
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
    for (state, change) in tally.changes.enumerated() where change != (0, 0) {
      try database.run(Self.change, [.integer(state), .integer(change.count), .integer(change.bytes)])
    }
    known.usage?.add(tally)
    tally = Tally()
  }

  /// What the caps count.
  func usage() throws -> Usage {
    let written = try known.usage ?? writtenUsage()
    known.usage = written
    var usage = written
    usage.add(tally)
    return usage
  }

  private func writtenUsage() throws -> Usage {
    try database.first(Self.usage) {
      Usage(count: Int($0.integer(0)), bytes: $0.integer(1), overBytes: $0.integer(2))
    } ?? Usage()
  }

  /// As they were at the last commit.
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
