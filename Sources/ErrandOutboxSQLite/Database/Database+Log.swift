import CSQLite
import ErrandOutbox

/// The write-ahead log, and its checkpoints.
extension Database {
  /// Moves the contents of the write-ahead log to the file. If that is not possible at the moment, it is not
  /// an error.
  ///
  /// No process writes during the move. Up to version 3.51.2 SQLite may miss that a writer restarts the log
  /// just as a checkpoint reads it. It then treats the writer's pages as moved, although they are not
  /// ("WAL-reset bug"). Therefore this connection holds the write lock while a second connection of the same
  /// process moves the log, without waiting for readers. The last connection to close the file moves the log,
  /// too, but SQLite locks out all others for that.
  /// - Parameter spare: The bytes of disk space that the file keeps beyond its pages, if it has them.
  /// - Returns: True if the whole log was moved: it then restarts in the space that it has.
  @discardableResult
  func checkpoint(keeping spare: Int64 = 0) -> Bool {
    guard (try? begin()) != nil else { return false }
    defer { rollback() }
    Failpoint.hit(.beforeCheckpoint)
    defer { Failpoint.hit(.afterCheckpoint) }
    guard let mover = try? Database(path: path, vfs: vfs, busyTimeout: .zero) else { return false }
    defer { mover.close() }
    mover.leaveAsItIs()
    guard mover.moveLog(keeping: spare) else { return false }
    logPages = 0
    return true
  }

  private func moveLog(keeping spare: Int64) -> Bool {
    do {
      try execute("PRAGMA synchronous = FULL")
      #if canImport(Darwin)
        try execute("PRAGMA checkpoint_fullfsync = 1")
      #endif
      // A connection does not know about the log before it has read something.
      try prepareFile(keeping: spare)
    } catch {
      return false
    }
    var (inLog, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved)
    return code == SQLITE_OK && inLog >= 0 && inLog == moved
  }

  /// Keeps `logPages` up to date. From now on SQLite moves no pages to the file automatically.
  func followLog() {
    sqlite3_wal_hook(
      handle,
      { database, _, _, pages in
        guard let database else { return SQLITE_OK }
        Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
