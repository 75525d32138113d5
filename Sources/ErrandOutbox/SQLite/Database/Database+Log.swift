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
  /// - Returns: Whether that was all: then the log begins anew, in the room that it has.
  @discardableResult
  func checkpoint(truncating: Bool = false) -> Bool {
    Failpoint.hit(.beforeCheckpoint)
    defer { Failpoint.hit(.afterCheckpoint) }
    var (inLog, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(
      handle, nil, truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved)
    guard code == SQLITE_OK, inLog == moved else { return false }
    logPages = 0
    return true
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
