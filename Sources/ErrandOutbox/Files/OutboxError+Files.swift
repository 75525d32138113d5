import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension OutboxError {
  /// Returns the error for a user's file that cannot be copied. The wording is that of sending such a file.
  static func unreadable(_ error: FileError) -> OutboxError {
    OutboxError(.fileUnreadable, "the file to upload cannot be used: \(error)")
  }

  /// Returns the error for the outbox's own folder that cannot be written.
  static func unwritable(_ error: FileError) -> OutboxError {
    switch error.systemCode {
    case ENOSPC, EDQUOT:
      OutboxError(.diskFull, "the disk is full, so the request was not stored; make room first (\(error))")
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR:
      OutboxError(
        .notWritable, "the outbox cannot write to its folder, so the request was not stored (\(error))")
    default: OutboxError(.failed, "the request was not stored: \(error)")
    }
  }
}
