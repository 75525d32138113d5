import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OutboxTables {
  /// The columns that `row` reads, in its order.
  static let columns = """
    seq, id, lane, priority, state, created, changed, attempts, counted, due, due_wall, expires_wall, reason, size, \
    summary, CASE WHEN state IN (2, 3) THEN ifnull(requests.response, (SELECT responses.response FROM responses WHERE responses.seq = requests.seq)) END, \
    origin
    """
  static let columnCount: Int32 = 17
  static let originColumn: Int32 = 16

  private static let bySequence = Query("SELECT \(columns) FROM requests WHERE seq = ?")
  private static let byID = Query("SELECT \(columns) FROM requests WHERE id = ?")

  func row(_ id: OutboxID) throws -> OutboxRow? { try database.first(Self.byID, [.id(id)], row) }

  func rows(_ ids: [OutboxID]) throws -> [OutboxRow?] { try ids.map { try row($0) } }

  func row(_ statement: Statement) throws -> OutboxRow {
    guard let id = statement.text(1), let state = OutboxState(rawValue: Int(statement.integer(4))) else {
      throw OutboxError.damaged(database.path, "request \(statement.integer(0)) has no id or no state")
    }
    return OutboxRow(
      id: OutboxID(rawValue: id), sequence: statement.integer(0), lane: statement.text(2),
      priority: Int(statement.integer(3)), state: state, created: statement.integer(5),
      changed: statement.integer(6), attempts: Int(statement.integer(7)),
      countedAttempts: Int(statement.integer(8)),
      due: state == .stored && statement.integer(9) > 0 ? statement.integer(10) : nil,
      expires: statement.optionalInteger(11), reason: statement.text(12), size: statement.integer(13),
      summary: statement.bytes(14) ?? Data(), response: statement.bytes(15),
      origin: statement.text(16) ?? "", reading: reading())
  }

  /// Runs a statement that changes one row, and returns the row. Two statements cost less than one with
  /// RETURNING, which creates a temporary table each time.
  /// - Parameters:
  ///   - values: The first is the row's sequence.
  ///   - state: The previous state of the row.
  ///   - response: The size of the row's previous response, in bytes.
  func change(
    _ query: Query, _ values: [SQLValue], from state: OutboxState, response: Int = 0
  ) throws -> OutboxRow {
    try database.run(query, values)
    let row = try row(at: values[0])
    count(row, from: state, response: response)
    return row
  }

  /// Returns the row with this sequence.
  /// - Throws: `OutboxError.damaged` if the row does not exist.
  func row(at sequence: SQLValue) throws -> OutboxRow {
    guard let row = try database.first(Self.bySequence, [sequence], row) else {
      throw OutboxError.damaged(database.path, "a request disappeared during a transaction")
    }
    return row
  }

  /// Updates the totals. Call it for each row whose state was changed.
  /// - Parameters:
  ///   - state: The previous state of the row.
  ///   - response: The size of the row's previous response, in bytes.
  func count(_ row: OutboxRow, from state: OutboxState, response: Int = 0) {
    counters.remove(state, bytes: RowBytes.count(state, size: row.size, response: response))
    counters.add(
      row.state, bytes: RowBytes.count(row.state, size: row.size, response: row.response?.count ?? 0))
  }
}

/// Single values in the table `meta`.
extension OutboxTables {
  enum Key: String {
    /// The boot of the machine at which the ticks began.
    case boot
    /// Present if the whole outbox is paused.
    case paused
    /// The highest sequence that was ever used. It is written when the row with it is deleted.
    case lastSequence
    /// The mark of the folder of bodies; empty or missing for the outbox's folder.
    case bodies
  }

  private static let read = Query("SELECT value FROM meta WHERE key = ?")
  private static let write = Query("INSERT OR REPLACE INTO meta VALUES (?, ?)")
  private static let remove = Query("DELETE FROM meta WHERE key = ?")

  func text(_ key: Key) throws -> String? {
    try database.first(Self.read, [.text(key.rawValue)]) { $0.text(0) } ?? nil
  }

  func integer(_ key: Key) throws -> Int64? { try database.integer(Self.read, [.text(key.rawValue)]) }

  func set(_ key: Key, to value: SQLValue) throws {
    try database.run(Self.write, [.text(key.rawValue), value])
  }

  func remove(_ key: Key) throws { try database.run(Self.remove, [.text(key.rawValue)]) }
}
