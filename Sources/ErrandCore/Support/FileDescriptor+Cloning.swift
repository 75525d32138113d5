#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileDescriptor {
  /// Lets this file share the disk's blocks with a part of another one, as far as whole blocks go
  /// (ioctl_ficlonerange(2)). Then nothing is copied. Btrfs and XFS can do it.
  /// - Returns: The number of bytes at the beginning of this file that are there now; 0 if the file system cannot share.
  func clone(from source: FileDescriptor, at offset: Int64, count: Int64) -> Int64 {
    #if os(Linux)
      let length = count & -Self.cloneAlignment
      guard length > 0, offset % Self.cloneAlignment == 0 else { return 0 }
      var range = CloneRange(
        source: Int64(source.raw), offset: UInt64(offset), length: UInt64(length), targetOffset: 0)
      return unsafe ioctl(raw, UInt(Self.cloneRequest), &range) == 0 ? length : 0
    #else
      return 0
    #endif
  }

  /// The blocks of a file system begin at multiples of this.
  static let cloneAlignment: Int64 = 4096

  #if os(Linux)
    /// FICLONERANGE.
    private static let cloneRequest = 0x4020_940D

    /// `struct file_clone_range`.
    private struct CloneRange {
      var source: Int64
      var offset: UInt64
      var length: UInt64
      var targetOffset: UInt64
    }
  #endif
}
