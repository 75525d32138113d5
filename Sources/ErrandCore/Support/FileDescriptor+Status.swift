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

  /// Marks it as being written until it is closed, by this process or by its end, which keeps it from being swept. False if
  /// somebody else has, or has removed it; true as well where files cannot be marked.
  package func claim() -> Bool {
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    return (try? status()).map { $0.links > 0 } ?? false
  }
}
