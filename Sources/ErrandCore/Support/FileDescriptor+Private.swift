#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// Makes a file of the user's own, which nobody else can read at any time. Throws if there is anything of that name.
  package convenience init(private path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o600)
  }

  /// Makes a file that those can read who can by default.
  package convenience init(usual path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o666)
  }

  private convenience init(new path: String, permissions: mode_t) throws(FileError) {
    let raw = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
    guard raw >= 0 else { throw FileError(.create, path) }
    self.init(raw, path)
  }

  /// Refuses a file that somebody else could write: another's, or one that has a second name.
  package func checkIsOwn() throws(FileError) {
    let info = try status()
    guard info.isRegular, info.isOwn, info.links == 1 else {
      throw FileError(.create, path, "there is something of that name that is not this user's own file")
    }
  }

  /// Makes a folder that is for this user only, if there is none.
  package static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.create, path) }
  }
}
