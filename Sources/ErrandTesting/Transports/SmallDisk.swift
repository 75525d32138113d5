#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A file system of one megabyte, until it is unmounted. Mounting needs root.
  package struct SmallDisk {
    private let path: String

    /// Mounts the file system at this path; nil if that fails.
    package init?(at path: String) {
      guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { return nil }
      self.path = path
    }

    package func unmount() { umount2(path, Int32(MNT_DETACH)) }
  }
#endif
