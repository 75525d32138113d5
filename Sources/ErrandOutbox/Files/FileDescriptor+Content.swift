package import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// Flushes the file. Returns when its bytes would survive a loss of power.
  func flush() throws(FileError) {
    defer { Failpoint.hit(.afterFlush) }
    #if canImport(Darwin)
      // `fsync` only hands the bytes to the drive. Not every file system supports `F_FULLFSYNC`.
      if fcntl(raw, F_FULLFSYNC) == 0 { return }
    #endif
    try sync()
  }

  package static func flushFolder(_ path: String) throws(FileError) {
    try FileDescriptor(reading: path).flush()
    Failpoint.hit(.afterFolderFlush)
  }

  /// Locks the file if no other process has locked it. Returns false if the file system has no locks, so that
  /// nothing is swept there.
  func holdIfAbandoned() -> Bool { flock(raw, LOCK_EX | LOCK_NB) == 0 }

  /// Makes this file a clone of another, if the file system supports that. A clone shares the blocks of the
  /// original until one of the files changes.
  /// - Returns: False if the file system cannot clone; the file is then unchanged.
  func clone(_ source: FileDescriptor) -> Bool {
    #if os(Linux)
      // FICLONE of linux/fs.h: _IOW(0x94, 9, int)
      return ioctl(raw, 0x4004_9409, source.raw) == 0
    #else
      return false
    #endif
  }
}

extension OutboxError {
  /// Returns the error for a user's file that cannot be copied, with the same wording as for sending such a
  /// file.
  static func unreadable(_ error: FileError) -> OutboxError {
    OutboxError(.fileUnreadable, "the file to upload cannot be used: \(error)")
  }

  /// Returns the error for a failed write to the outbox's folder.
  static func unwritable(_ error: FileError) -> OutboxError {
    switch error.systemCode {
    case ENOSPC, EDQUOT:
      OutboxError(
        .diskFull,
        "the disk is full, so the request was not stored; free some space and enqueue it again (\(error))")
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR:
      OutboxError(
        .notWritable, "the outbox cannot write to its folder, so the request was not stored (\(error))")
    default: OutboxError(.failed, "the request was not stored: \(error)")
    }
  }
}
