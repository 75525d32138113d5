#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  package func status() throws(FileError) -> FileStatus {
    var info = stat()
    guard unsafe fstat(raw, &info) == 0 else { throw FileError(.read, path) }
    return FileStatus(info)
  }

  /// Returns the status of a file, without following links; nil if it does not exist.
  package static func status(of path: String) -> FileStatus? {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return nil }
    return FileStatus(info)
  }

  /// Returns the permissions of a file, or of the target of a link; nil if it does not exist.
  package static func permissions(of path: String) -> UInt32? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    return FileStatus(info).permissions
  }

  /// Sets the permissions; changes nothing on file systems without permissions.
  package func setPermissions(_ permissions: UInt32) { fchmod(raw, mode_t(permissions)) }

  /// Returns true if no other descriptor holds the file's lock; this descriptor holds it from then on.
  /// Returns false, too, on file systems without locks.
  package func isAbandoned() -> Bool { flock(raw, LOCK_EX | LOCK_NB) == 0 }

  /// Returns true if `path` still names this file.
  package func isStill(at path: String) -> Bool {
    guard let own = try? status(), let there = Self.status(of: path) else { return false }
    return own.isSameFile(as: there)
  }

  /// Locks the file until it is closed or the process ends, which keeps it from being swept. Returns false if
  /// another descriptor holds the lock or the file was removed; on file systems without locks only if it was
  /// removed.
  package func claim() -> Bool {
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    return (try? status()).map { $0.links > 0 } ?? false
  }
}
