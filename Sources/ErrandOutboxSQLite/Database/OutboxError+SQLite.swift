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
  /// Creates an error from SQLite's result code. Call it right after the failure.
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
        "another process has locked \(path) for too long: try again, and make sure that no program keeps a "
          + "transaction open on it")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_MISMATCH:
      // Errand's statements do not change. If one of them fails to compile or breaks a constraint, the tables
      // are not Errand's.
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
      "the disk has no space for \(path) (\(reason)): free some space, and try again; requests that were stored "
        + "before are still there")
  }

  static func notWritable(_ path: String, _ reason: String) -> OutboxError {
    OutboxError(
      .notWritable,
      "\(path) cannot be written (\(reason)): make sure that its folder exists and that this user may write to it"
    )
  }

  static func damaged(_ path: String, _ reason: String) -> OutboxError {
    OutboxError(
      .damaged,
      "\(path) is damaged (\(reason)); the file was not changed. Keep a copy of it and of the files beside it, "
        + "then try to save its data with `sqlite3 \(path) .recover`, or move it away to begin with an empty outbox"
    )
  }
}

extension OutboxError {
  /// Creates an error with the reason from `errno`. Call it right after the failed call.
  static func system(_ what: String, _ path: String) -> OutboxError {
    let code = errno
    let reason = String(cString: strerror(code))
    switch code {
    case ENOSPC, EDQUOT:
      return OutboxError(.diskFull, "\(what) \(path): \(reason); free some space, and try again")
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EEXIST: return .notWritable(path, reason)
    default: return OutboxError(.failed, "\(what) \(path): \(reason)")
    }
  }
}
