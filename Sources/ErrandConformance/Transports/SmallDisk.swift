#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A small file system, which stays mounted until `unmount()`. Mounting needs root.
  package struct SmallDisk {
    private let path: String

    /// Mounts the file system at this path. Returns nil if that fails.
    package init?(at path: String, megabytes: Int = 1) {
      guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return nil }
      self.path = path
    }

    /// Unmounts the file system and deletes its files.
    package func unmount() { umount2(path, Int32(MNT_DETACH)) }
  }
#endif
