import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// Returns when it would outlive a loss of power.
  func flush() throws(FileError) {
    defer { Failpoint.hit(.afterFlush) }
    #if canImport(Darwin)
      // `fsync` hands it to the drive only; not every file system knows this one.
      if fcntl(raw, F_FULLFSYNC) == 0 { return }
    #endif
    try sync()
  }

  static func flushFolder(_ path: String) throws(FileError) {
    try FileDescriptor(reading: path).flush()
    Failpoint.hit(.afterFolderFlush)
  }

  /// Takes hold of it if certainly nobody else does: never where files cannot be marked, so nobody sweeps there.
  func holdIfAbandoned() -> Bool { flock(raw, LOCK_EX | LOCK_NB) == 0 }

  /// Makes it a copy of another that shares its blocks until one of them changes, where the file system can.
  /// - Returns: False if it cannot; then it is as it was.
  func clone(_ source: FileDescriptor) -> Bool {
    #if os(Linux)
      // FICLONE of linux/fs.h: _IOW(0x94, 9, int)
      return ioctl(raw, 0x4004_9409, source.raw) == 0
    #else
      return false
    #endif
  }
}
