#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Identifies a file's content without reading it: path, inode, length and modification time.
struct FileIdentity: Sendable, Hashable {
  private let path: String
  private let number: UInt64
  private let length: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  init(_ path: String) throws(FileError) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw FileError(.read, path) }
    self.path = path
    number = UInt64(info.st_ino)
    length = Int64(info.st_size)
    seconds = Int64(info.modified.tv_sec)
    nanoseconds = Int64(info.modified.tv_nsec)
  }
}
