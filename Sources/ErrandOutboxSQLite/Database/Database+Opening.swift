import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Database {
  /// Marks the file as that of an outbox: `ERND`.
  private static let applicationID: Int64 = 0x4552_4E44

  private static let version = Query("PRAGMA user_version")
  private static let application = Query("PRAGMA application_id")
  private static let tableCount = Query("SELECT count(*) FROM sqlite_schema")

  /// Configures the connection for durability, and creates or migrates the tables.
  /// - Throws: `OutboxError.tooNew` or `.damaged`, and then the file is unchanged.
  func prepare() throws {
    do {
      try execute("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF")
      let isNew = try checkAtOnce() == 0
      guard !isReadOnly else { throw OutboxError.notWritable(path, "it is read-only") }
      // This must precede the first table. A commit changes a few bytes on each of several pages, and writes
      // these pages completely. With pages of 2 KiB, storing a request is a tenth faster than with SQLite's
      // default of 4 KiB.
      if isNew { try execute("PRAGMA page_size = 2048; PRAGMA auto_vacuum = INCREMENTAL") }
      try beginLog()
      try execute(
        """
        PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;
        PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 33554432;
        PRAGMA cache_size = -8192; PRAGMA recursive_triggers = OFF
        """)
      #if canImport(Darwin)
        // On Darwin only F_FULLFSYNC reaches the disk itself.
        try execute("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
      #endif
      if try checkAtOnce() < Migration.all.count { try migrate() }
    } catch {
      leaveAsItIs()
      throw error
    }
  }

  /// Switches to the write-ahead log, and repeats that while the file is busy. SQLite itself does not wait
  /// here, because two connections could wait for each other forever.
  private func beginLog() throws {
    let end = ContinuousClock.now + busyTimeout
    while true {
      do {
        return try requireLog()
      } catch let error as OutboxError where error.code == .busy && ContinuousClock.now < end {
        usleep(5000)
      }
    }
  }

  /// Switches to the write-ahead log, and checks that it is on. Where SQLite cannot have such a log, it does
  /// not fail, but keeps the present journal.
  private func requireLog() throws {
    let mode = try all(sql: "PRAGMA journal_mode = WAL") { $0.text(0) ?? "" }.first ?? ""
    // The file of a simulation is in memory and has no log.
    guard mode == "wal" || mode == "memory" else {
      throw OutboxError(
        .notWritable,
        "\(path) is on a disk that cannot have a write-ahead log (its journal is \(mode.debugDescription)): "
          + "move the outbox to a local disk")
    }
  }

  private func migrate() throws {
    Failpoint.hit(.beforeMigration)
    try transaction {
      // Another process may have migrated the file meanwhile.
      let version = try check()
      guard version < Migration.all.count else { return }
      for migration in Migration.all[version...] { try execute(migration.sql) }
      Failpoint.hit(.duringMigration)
      try execute(
        "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Migration.all.count)")
    }
    Failpoint.hit(.afterMigration)
  }

  /// Returns the file's version, read in one transaction, because another process may be creating the tables.
  private func checkAtOnce() throws -> Int {
    try execute("BEGIN")
    let version = Result { try check() }
    try? execute("ROLLBACK")
    return try version.get()
  }

  /// Returns the file's version; 0 if it is new. Must be called in a transaction, because it runs three
  /// queries.
  private func check() throws -> Int {
    let version = Int(try integer(Self.version) ?? 0)
    let application = try integer(Self.application) ?? 0
    let isEmpty = try integer(Self.tableCount) == 0
    if isEmpty && version == 0 && application == 0 { return 0 }
    guard application == Self.applicationID, version > 0 else {
      throw OutboxError.damaged(path, "it is the database of another program")
    }
    guard version <= Migration.all.count else { throw tooNew(version) }
    return version
  }

  /// Checks that no newer process has changed the tables while this one had the file open.
  func checkVersion() throws {
    let version = Int(try integer(Self.version) ?? 0)
    if version > Migration.all.count { throw tooNew(version) }
    if version < Migration.all.count {
      throw OutboxError.damaged(path, "its version has changed to \(version)")
    }
  }

  private func tooNew(_ version: Int) -> OutboxError {
    OutboxError(
      .tooNew,
      "\(path) was written by a newer version of Errand (its version is \(version), and this program knows "
        + "\(Migration.all.count)): update this program; the file was not changed")
  }
}
