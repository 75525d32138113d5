/// The tables of an outbox, and every rule about them. Each method is part of a transaction that its caller has begun, and
/// throws if that has to be undone.
final class OutboxTables {
  let database: Database
  /// Who claims.
  let owner: String
  let owners: any OwnerRegistry
  /// The start of the machine that the ticks in the file count from, as far as that was looked up.
  var knownBoot: String?
  /// True if something was done that others may want to know of.
  var hasNews = false

  init(_ database: Database, owners: any OwnerRegistry) {
    self.database = database
    self.owners = owners
    owner = owners.name
  }

  /// What was learnt from a transaction that was undone may not be so.
  func forget() {
    forgetBoot()
    hasNews = false
  }

  func forgetBoot() { knownBoot = nil }

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
