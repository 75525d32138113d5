/// The tables of an outbox, and every rule about them. Each method is part of a transaction that its caller has begun, and
/// throws if that has to be undone.
final class OutboxTables {
  let database: Database
  /// Who claims.
  let owner: String
  let owners: any OwnerRegistry
  /// True if something was done that others may want to know of.
  var hasNews = false

  /// The start of the machine that the ticks in the file count from, as far as that was looked up.
  var knownBoot: String?
  var known = Known()
  /// What this transaction changes about the totals.
  var tally = Tally()
  private var tallyBeforePart = Tally()
  /// What owners that are gone have begun was looked at, and forgotten as far as nobody needs it.
  var knowsGone = false
  private var readings: Int64 = 0
  /// What was claimed here, by the number of its lease.
  var claimed: [Int64: Claimed] = [:]

  /// What was looked up, and holds until somebody else changes the file.
  struct Known {
    /// The last sequence that was given out.
    var lastSequence: Int64?
    /// What the caps count, as the totals have it that are written.
    var usage: Usage?
  }

  /// A row as it was claimed. As long as its lease and the machine's start last it is that still, and need not be read.
  struct Claimed {
    let row: OutboxRow
    let hasFiles: Bool
    /// Its content is not in the row.
    let isContentApart: Bool
  }

  init(_ database: Database, owners: any OwnerRegistry) {
    self.database = database
    self.owners = owners
    owner = owners.name
  }

  /// Has to be called at the beginning of a transaction.
  /// - Throws: If a newer process has changed the tables.
  func begin() throws {
    tally = Tally()
    guard database.mayHaveForeignChange else { return }
    known = Known()
    try database.checkVersion()
  }

  func reading() -> OutboxRow.Reading {
    readings += 1
    return OutboxRow.Reading(readings)
  }

  /// Has to be called at the end of a transaction, before it is committed.
  func end() throws { try writeTotals() }

  /// Has to be called when everything was undone.
  func forget() {
    known = Known()
    tally = Tally()
    knownBoot = nil
  }

  func beginPart() { tallyBeforePart = tally }

  /// Has to be called when what was done since `beginPart` was undone.
  func forgetPart() {
    forget()
    tally = tallyBeforePart
  }

  // MARK: Others

  private var seenVersion: Int64?
  private static let version = Query("PRAGMA data_version")

  /// Whether others have changed the file since this was asked last.
  func hasForeignChange() throws -> Bool {
    let version = try database.integer(Self.version)
    defer { seenVersion = version }
    return seenVersion != version
  }
}
