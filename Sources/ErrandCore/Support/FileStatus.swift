#if canImport(Darwin)
  package import Darwin
#elseif canImport(Musl)
  package import Musl
#else
  package import Glibc
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
  package let isLink: Bool
  package let isFolder: Bool
  package let isPipe: Bool
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
    isLink = info.st_mode & S_IFMT == S_IFLNK
    isFolder = info.st_mode & S_IFMT == S_IFDIR
    isPipe = info.st_mode & S_IFMT == S_IFIFO
    links = Int(info.st_nlink)
    isOwn = info.st_uid == geteuid()
    permissions = UInt32(info.st_mode & 0o777)
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
  }

  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && number == other.number }
}

/// Tells states of a file's content apart. Every write changes one of these values, within the resolution of
/// the file system's clock. A new name, a link or other permissions do not.
package struct FileStamp: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// Returns the stamp of a file as text; empty for a missing file, nil if its status cannot be read.
  static func text(of path: String) -> String? {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return errno == ENOENT ? "" : nil }
    let stamp = FileStamp(info)
    return "\(stamp.device) \(stamp.number) \(stamp.size) \(stamp.seconds).\(stamp.nanoseconds)"
  }

  /// The stamp as text that is the same after the machine was started again, when devices may have other numbers.
  package var text: String { "\(number) \(size) \(seconds).\(nanoseconds)" }

  init(_ info: stat) {
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
    size = Int64(info.st_size)
    seconds = Int64(info.modified.tv_sec)
    nanoseconds = Int64(info.modified.tv_nsec)
  }
}

extension FileDescriptor {
  package func stamp() throws(FileError) -> FileStamp {
    var info = stat()
    guard unsafe fstat(raw, &info) == 0 else { throw FileError(.read, path) }
    return FileStamp(info)
  }

  package func status() throws(FileError) -> FileStatus {
    var info = stat()
    guard unsafe fstat(raw, &info) == 0 else { throw FileError(.read, path) }
    return FileStatus(info)
  }

  /// Returns the status of a file, without following links; nil if it does not exist.
  package static func status(of path: String) -> FileStatus? {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return nil }
    return FileStatus(info)
  }

  /// Returns true if a file does not exist; false if it exists, or if this user may not check that.
  package static func isMissing(_ path: String) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) != 0 && FileError(.read, path).isMissing
  }

  /// Returns the permissions of a file, or of the target of a link; nil if it does not exist.
  package static func permissions(of path: String) -> UInt32? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    return FileStatus(info).permissions
  }

  /// Sets the permissions. Changes nothing on file systems without permissions.
  package func setPermissions(_ permissions: UInt32) { fchmod(raw, mode_t(permissions)) }

  /// Sets the file's modification date. A failure is ignored.
  func stamp(_ date: Date) {
    let whole = date.timeIntervalSince1970.rounded(.down)
    let nanoseconds = (date.timeIntervalSince1970 - whole) * 1e9
    let time = timespec(tv_sec: time_t(whole), tv_nsec: Int(nanoseconds))
    _ = unsafe futimens(raw, [time, time])
  }

  /// Returns true if no other descriptor held the file's lock; this descriptor then holds it. Also returns
  /// false on file systems without locks.
  package func isAbandoned() -> Bool { flock(raw, LOCK_EX | LOCK_NB) == 0 }

  /// Returns true if `path` still names this file.
  package func isStill(at path: String) -> Bool {
    guard let own = try? status(), let there = Self.status(of: path) else { return false }
    return own.isSameFile(as: there)
  }

  /// Locks the file until it is closed or the process ends, which keeps it from being swept. Returns false if
  /// another descriptor holds the lock or the file was removed. On file systems without locks, it returns
  /// false only if the file was removed.
  package func claim() -> Bool {
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    return (try? status()).map { $0.links > 0 } ?? false
  }
}

/// Darwin has different names for these members.
extension stat {
  /// The time at which the content was last written.
  package var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
