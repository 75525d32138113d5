import ErrandOutbox

/// The tables of an outbox, and every rule about them. Each method is part of a transaction that the caller
/// has begun. If it throws, the transaction has to be undone.
final class OutboxTables {
  let database: Database
  /// The name under which this store claims rows.
  let owner: String
  let owners: any LivenessRegistry
  /// Returns the present time, which is stored and compared.
  let time: @Sendable () -> StoreTime
  /// True if a change was made that other processes may want to know of.
  var hasNews = false

  /// The boot at which the ticks in the file began; nil if it has not been read yet.
  var knownBoot: String?
  var known = Known()
  /// The changes of this transaction to the totals.
  var counters = Counters()
  private var countersBeforePart = Counters()
  /// True if the liveness registry was tidied after an owner was last found to be gone.
  var knowsGone = false
  private var readings: Int64 = 0
  /// The rows that this store has claimed, by the number of their lease.
  var claimed: [Int64: Claimed] = [:]

  /// Values that were read from the file. They are valid until another connection changes it.
  struct Known {
    /// The highest sequence that was ever used.
    var lastSequence: Int64?
    /// The numbers that the caps limit, according to the written totals.
    var usage: Usage?
  }

  /// A row as it was claimed. It does not change while its lease and the machine's boot last, so it need not
  /// be read again.
  struct Claimed {
    let row: OutboxRow
    let hasFiles: Bool
    /// True if the content is stored outside the row.
    let isContentApart: Bool
  }

  init(_ database: Database, owners: any LivenessRegistry, time: @escaping @Sendable () -> StoreTime) {
    self.database = database
    self.owners = owners
    self.time = time
    owner = owners.name
  }

  /// Prepares for a transaction. Call it at the transaction's beginning.
  /// - Throws: `OutboxError` if a newer process has changed the tables.
  func begin() throws {
    counters = Counters()
    guard database.mayHaveForeignChange else { return }
    known = Known()
    database.knownRoom = nil
    try database.checkVersion()
  }

  func reading() -> OutboxRow.Reading {
    readings += 1
    return OutboxRow.Reading(readings)
  }

  /// Writes the totals. Call it at the end of a transaction, before its commit.
  func end() throws { try writeTotals() }

  /// Forgets all values that were read or changed. Call it after a rollback.
  func forget() {
    known = Known()
    counters = Counters()
    knownBoot = nil
  }

  func beginPart() { countersBeforePart = counters }

  /// Forgets the changes since `beginPart`. Call it after they were undone.
  func forgetPart() {
    forget()
    counters = countersBeforePart
  }

  // MARK: Other connections

  private var seenVersion: Int64?
  private static let version = Query("PRAGMA data_version")

  /// Returns true if another connection has changed the file since the last call.
  func hasForeignChange() throws -> Bool {
    let version = try database.integer(Self.version)
    defer { seenVersion = version }
    return seenVersion != version
  }
}
