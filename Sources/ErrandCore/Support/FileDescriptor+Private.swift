#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// Creates a file that only this user can access, from the beginning. Throws if the path exists.
  package convenience init(private path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o600)
  }

  /// Creates a file with the default permissions. Throws if the path exists.
  package convenience init(usual path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o666)
  }

  private convenience init(new path: String, permissions: mode_t) throws(FileError) {
    let raw = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
    guard raw >= 0 else { throw FileError(.create, path) }
    self.init(raw, path)
  }

  /// Throws unless this is a regular file of this user with one link: other programs could write to any other
  /// file.
  package func checkIsOwn() throws(FileError) {
    let info = try status()
    guard info.isRegular, info.isOwn, info.links == 1 else {
      throw FileError(.create, path, "there is something of that name that is not this user's own file")
    }
  }

  /// Creates a folder that only this user can access, if it does not exist.
  package static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.create, path) }
  }
}
