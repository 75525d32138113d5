#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// A file of the user's own, which nobody else can read.
  package convenience init(private path: String) throws(FileError) {
    try self.init(writing: path)
    guard fchmod(raw, 0o600) == 0 else { throw FileError(.create, path) }
  }

  /// Makes a folder that is for this user only, if there is none.
  package static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.create, path) }
  }
}
