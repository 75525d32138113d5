#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The status of a file (stat(2)).
package struct FileStatus: Sendable {
  package let size: Int
  package let modified: Date
  package let isRegular: Bool
  package let links: Int
  /// True if the file belongs to the user that this process runs as.
  package let isOwn: Bool
  /// The permission bits.
  package let permissions: UInt32
  private let device: UInt64
  private let number: UInt64

  init(_ info: stat) {
    let time = info.modified
    size = Int(info.st_size)
    modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    isRegular = info.st_mode & S_IFMT == S_IFREG
    links = Int(info.st_nlink)
    isOwn = info.st_uid == geteuid()
    permissions = UInt32(info.st_mode & 0o777)
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
  }

  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && number == other.number }
}
