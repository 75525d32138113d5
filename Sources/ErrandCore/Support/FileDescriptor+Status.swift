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

  /// Nil if there is no such file.
  package static func status(of path: String) -> FileStatus? {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return nil }
    return FileStatus(info)
  }

  /// Who may read, write and execute the file, or the one that it links to; nil if there is none.
  package static func permissions(of path: String) -> UInt32? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    return FileStatus(info).permissions
  }

  /// Where files have no such thing, nothing is changed.
  package func setPermissions(_ permissions: UInt32) { fchmod(raw, mode_t(permissions)) }

  /// True if it is marked as being written by nobody, which it is from now on. False as well where files cannot be marked.
  package func isAbandoned() -> Bool { flock(raw, LOCK_EX | LOCK_NB) == 0 }

  /// True if `path` still names this file.
  package func isStill(at path: String) -> Bool {
    guard let own = try? status(), let there = Self.status(of: path) else { return false }
    return own.isSameFile(as: there)
  }

  /// Marks it as being written until it is closed, by this process or by its end, which keeps it from being swept. False if
  /// somebody else has, or has removed it; true as well where files cannot be marked.
  package func claim() -> Bool {
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    return (try? status()).map { $0.links > 0 } ?? false
  }
}
