import CSQLite
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension OutboxError {
  /// Makes an error from SQLite's result code. Must be called right after the failure.
  init(of handle: OpaquePointer, _ code: Int32, path: String) {
    let message = String(cString: sqlite3_errmsg(handle))
    let cause = sqlite3_system_errno(handle)
    switch code & 0xFF {
    case SQLITE_FULL: self = .diskFull(path, message)
    case SQLITE_IOERR, SQLITE_CANTOPEN: self = .unreachable(path, message, cause, code)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: self = .notWritable(path, message)
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(
        .busy,
        "another process has held \(path) for too long: try again, and see that no program keeps a "
          + "transaction open on it")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_MISMATCH:
      // Errand's statements do not change, so one that fails to compile or breaks a constraint has met
      // foreign tables.
      self = .damaged(path, message)
    default: self.init(.failed, "cannot use \(path): \(message) (SQLite's code \(code))")
    }
  }

  private static func unreachable(_ path: String, _ message: String, _ cause: Int32, _ code: Int32) -> Self {
    let reason = cause == 0 ? message : "\(message): \(String(cString: strerror(cause)))"
    switch cause {
    case ENOSPC, EDQUOT: return .diskFull(path, reason)
    case EROFS, EACCES, EPERM, ENOENT, ENOTDIR, EISDIR: return .notWritable(path, reason)
    default:
      if code & 0xFF == SQLITE_CANTOPEN && cause == 0 { return .notWritable(path, reason) }
      return OutboxError(.failed, "cannot use \(path): \(reason) (SQLite's code \(code))")
    }
  }

  static func diskFull(_ path: String, _ reason: String) -> OutboxError {
    OutboxError(
      .diskFull,
      "there is no room on the disk for \(path) (\(reason)): free some, and ask again; what was stored "
        + "before is still there")
  }

  static func notWritable(_ path: String, _ reason: String) -> OutboxError {
    OutboxError(
      .notWritable,
      "\(path) cannot be written (\(reason)): see that its folder exists and may be written by this user")
  }

  static func damaged(_ path: String, _ reason: String) -> OutboxError {
    OutboxError(
      .damaged,
      "\(path) is damaged (\(reason)); it was left as it is. Keep a copy of it and of the files beside it, "
        + "then see what `sqlite3 \(path) .recover` can save, or move it away to begin anew")
  }
}

extension OutboxError {
  /// Makes an error with the reason from `errno`. Must be called right after the call that failed.
  static func system(_ what: String, _ path: String) -> OutboxError {
    let code = errno
    let reason = String(cString: strerror(code))
    switch code {
    case ENOSPC, EDQUOT:
      return OutboxError(.diskFull, "\(what) \(path): \(reason); free some room, and ask again")
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EEXIST: return .notWritable(path, reason)
    default: return OutboxError(.failed, "\(what) \(path): \(reason)")
    }
  }
}
