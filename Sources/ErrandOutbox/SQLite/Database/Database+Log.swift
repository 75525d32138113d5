import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The write-ahead log, and how it is moved to the file.
extension Database {
  private static let pages = Query("PRAGMA page_count")
  private static let pageSize = Query("PRAGMA page_size")

  /// Moves what is in the log to the file. That it cannot at the moment is no failure.
  ///
  /// Nobody else writes meanwhile, in no process: up to its version 3.51.2 SQLite may not notice that a writer begins the log
  /// anew just as it is looked at, and then takes what that writes for moved although it is not ("WAL-reset bug"). So this
  /// connection has the writer's place while another one of the same process moves the log, which waits for no reader. The
  /// last to close the file moves the log too, but SQLite locks everybody out for that.
  /// - Returns: Whether that was all: then the log begins anew, in the room that it has.
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
      // Before it has read something a connection does not know that there is a log.
      _ = try integer(Self.pages)
    } catch {
      return false
    }
    var (inLog, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved)
    return code == SQLITE_OK && inLog >= 0 && inLog == moved
  }

  /// Keeps count of `logPages`. From now on SQLite moves nothing to the file by itself.
  func followLog() {
    sqlite3_wal_hook(
      handle,
      { database, _, _, pages in
        guard let database else { return SQLITE_OK }
        Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether the disk has the room that the file takes more when the log has been moved to it. A part of it would only use up
  /// what the log itself may need.
  var hasRoomForLog: Bool {
    var (file, disk) = (stat(), statvfs())
    guard let pages = try? integer(Self.pages), let size = try? integer(Self.pageSize),
      stat(path, &file) == 0, statvfs(path, &disk) == 0
    else { return false }
    return pages * size - Int64(file.st_size) <= Int64(disk.f_bavail) * Int64(disk.f_frsize)
  }
}
