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

extension FileDescriptor {
  /// What the system knows of a file.
  package struct Status: Sendable {
    package let size: Int
    package let modified: Date
    package let isRegular: Bool
    package let links: Int
    fileprivate let device: UInt64
    fileprivate let number: UInt64

    fileprivate init(_ info: stat) {
      #if canImport(Darwin)
        let time = info.st_mtimespec
      #else
        let time = info.st_mtim
      #endif
      size = Int(info.st_size)
      modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
      isRegular = info.st_mode & S_IFMT == S_IFREG
      links = Int(info.st_nlink)
      device = UInt64(truncatingIfNeeded: info.st_dev)
      number = UInt64(truncatingIfNeeded: info.st_ino)
    }

    package func isSameFile(as other: Status) -> Bool { device == other.device && number == other.number }
  }

  /// A file of the user's own, which nobody else can read.
  package convenience init(private path: String) throws(FileError) {
    try self.init(writing: path)
    guard fchmod(raw, 0o600) == 0 else { throw FileError(.create, path) }
  }

  /// Makes a folder that is for this user only, if there is none.
  package static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.create, path) }
  }

  package func status() throws(FileError) -> Status {
    var info = stat()
    guard unsafe fstat(raw, &info) == 0 else { throw FileError(.read, path) }
    return Status(info)
  }

  /// Nil if there is no such file.
  package static func status(of path: String) -> Status? {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return nil }
    return Status(info)
  }

  /// Marks it as being written. False if somebody else has, or has removed it; true as well where files cannot be marked.
  package func claim() -> Bool {
    if flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
    return (try? status()).map { $0.links > 0 } ?? false
  }

  /// Dates it. Whether that works is not worth an error.
  func stamp(_ date: Date) {
    let whole = date.timeIntervalSince1970.rounded(.down)
    let nanoseconds = (date.timeIntervalSince1970 - whole) * 1e9
    let time = timespec(tv_sec: time_t(whole), tv_nsec: Int(nanoseconds))
    _ = unsafe futimens(raw, [time, time])
  }

  /// Returns when it is on the disk.
  package func sync() throws(FileError) {
    while fsync(raw) != 0 {
      if errno != EINTR { throw FileError(.write, path) }
    }
  }

  /// Reads so many bytes, fewer only at the end of the file.
  package func read(_ count: Int, at offset: Int64) throws -> Data {
    var data = Data(count: count)
    let read = try unsafe data.withUnsafeMutableBytes { bytes in
      var done = 0
      while done < bytes.count {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
        let step = try unsafe self.read(into: room, at: offset + Int64(done))
        if step == 0 { break }
        done += step
      }
      return done
    }
    return read == count ? data : data.prefix(read)
  }

  package func write(_ data: Data, at offset: Int64) throws {
    try unsafe data.withUnsafeBytes { try unsafe self.write($0, at: offset) }
  }
}
