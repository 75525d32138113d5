/// Single values in the table `meta`.
extension OutboxTables {
  enum Key: String {
    /// The boot of the machine that the ticks count from.
    case boot
    /// Present if the whole outbox is paused.
    case paused
    /// The highest sequence that was given out; written when the row with it is deleted.
    case lastSequence
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
