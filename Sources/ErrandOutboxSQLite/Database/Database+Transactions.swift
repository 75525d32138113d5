import CSQLite
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Database {
  private static let begin = Query("BEGIN IMMEDIATE")
  private static let beginReading = Query("BEGIN")
  private static let commit = Query("COMMIT")
  private static let rollback = Query("ROLLBACK")
  private static let mark = Query("SAVEPOINT operation")
  private static let keep = Query("RELEASE operation")
  private static let undo = Query("ROLLBACK TO operation")

  /// Begins a write transaction, after waiting until no other connection writes.
  func begin() throws(OutboxError) { try run(Self.begin) }

  /// Begins a read transaction: until `endReading` every statement sees the file as it is at the first of
  /// them.
  func beginReading() throws(OutboxError) { try run(Self.beginReading) }

  func endReading() { rollback() }

  /// Commits the transaction. When it returns, all changes since `begin` are on the disk.
  func commit() throws(OutboxError) {
    try run(Self.commit)
    noteCommit()
  }

  /// Undoes all changes since `begin`, unless SQLite has done so already.
  func rollback() {
    if isInTransaction { try? run(Self.rollback) }
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Value>(_ body: () throws -> Value) throws -> Value {
    try begin()
    do {
      let value = try body()
      try commit()
      return value
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a part of a transaction that can be undone alone.
  func beginPart() throws(OutboxError) { try run(Self.mark) }

  func keepPart() throws(OutboxError) { try run(Self.keep) }

  func undoPart() throws(OutboxError) {
    try run(Self.undo)
    try run(Self.keep)
  }
}

/// The write-ahead log, and its checkpoints.
extension Database {
  private static let pages = Query("PRAGMA page_count")
  private static let pageSize = Query("PRAGMA page_size")

  /// Moves the contents of the write-ahead log to the file. It is no failure if that is not possible at the
  /// moment.
  ///
  /// No process writes meanwhile: up to its version 3.51.2 SQLite may not notice that a writer restarts the
  /// log just as a checkpoint looks at it, and then takes the writer's pages for moved although they are not
  /// ("WAL-reset bug"). So this connection holds the write lock while a second connection of the same process
  /// moves the log, without waiting for readers. The last connection to close the file moves the log too, but
  /// SQLite locks all others out for that.
  /// - Returns: Whether the whole log was moved: then it restarts, in the space that it has.
  @discardableResult
  func checkpoint() -> Bool {
    guard (try? begin()) != nil else { return false }
    defer { rollback() }
    Failpoint.hit(.beforeCheckpoint)
    defer { Failpoint.hit(.afterCheckpoint) }
    guard let mover = try? Database(path: path, vfs: vfs, busyTimeout: .zero) else { return false }
    defer { mover.close() }
    mover.leaveAsItIs()
    guard mover.moveLog() else { return false }
    logPages = 0
    return true
  }

  private func moveLog() -> Bool {
    do {
      try execute("PRAGMA synchronous = FULL")
      #if canImport(Darwin)
        try execute("PRAGMA checkpoint_fullfsync = 1")
      #endif
      // A connection does not know that there is a log before it has read something.
      _ = try integer(Self.pages)
    } catch {
      return false
    }
    var (inLog, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved)
    return code == SQLITE_OK && inLog >= 0 && inLog == moved
  }

  /// Keeps `logPages` up to date. From now on SQLite moves nothing to the file by itself.
  func followLog() {
    sqlite3_wal_hook(
      handle,
      { database, _, _, pages in
        guard let database else { return SQLITE_OK }
        Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether the disk has enough space for the growth of the file when the log is moved to it. A partial
  /// checkpoint would only use up the space that the log itself may need.
  var hasRoomForLog: Bool {
    var (file, disk) = (stat(), statvfs())
    guard let pages = try? integer(Self.pages), let size = try? integer(Self.pageSize),
      stat(path, &file) == 0, statvfs(path, &disk) == 0
    else { return false }
    return pages * size - Int64(file.st_size) <= Int64(disk.f_bavail) * Int64(disk.f_frsize)
  }
}
