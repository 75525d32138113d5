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

/// An open file, closed when its last reference is released. Failures are thrown as `FileError`.
package final class FileDescriptor: Sendable {
  package let raw: Int32
  package let path: String
  /// True if another owner has the same open file, and perhaps a lock on it.
  private let isShared: Bool

  /// Opens a file for reading. Opening does not block on a file that is not regular, such as a pipe; `length`
  /// throws for such a file.
  package init(reading path: String) throws(FileError) {
    raw = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    self.path = path
    isShared = false
    guard raw >= 0 else { throw FileError(.open, path) }
  }

  /// Opens a file for writing, and keeps its content. A missing file is created, for this user only. It
  /// follows no link, and does not block on a file that is not regular.
  /// - Parameter mayCreate: False if the file must exist.
  package init(writing path: String, mayCreate: Bool = true) throws(FileError) {
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    raw = unsafe open(path, mayCreate ? flags | O_CREAT : flags, 0o600)
    self.path = path
    isShared = false
    guard raw >= 0 else { throw FileError(.create, path) }
  }

  /// Takes ownership of an open descriptor.
  init(_ raw: Int32, _ path: String) {
    self.raw = raw
    self.path = path
    isShared = false
  }

  /// Duplicates a descriptor of this process, with its position and its flags.
  /// - Parameter path: The file's name in errors.
  package init(duplicating descriptor: Int32, _ path: String) throws(FileError) {
    raw = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    self.path = path
    isShared = true
    guard raw >= 0 else { throw FileError(.open, path) }
  }

  deinit {
    // A child process that is being started has a copy of the descriptor for a moment, which would keep the
    // lock.
    if !isShared { unlock() }
    close(raw)
  }

  /// Returns the length in bytes. Throws if the file is not regular, because its length has no meaning.
  package func length() throws(FileError) -> Int64 {
    var info = stat()
    guard unsafe fstat(raw, &info) == 0 else { throw FileError(.read, path) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw FileError(.read, path, "it is not a regular file") }
    return Int64(info.st_size)
  }

  /// Reads up to `buffer.count` bytes at `offset`; returns 0 at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    while true {
      let count = unsafe pread(raw, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw FileError(.read, path) }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe pwrite(
        raw, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw FileError(.write, path)
      }
    }
  }

  /// Locks the file against other writers that lock it, too. Throws if it is locked.
  /// - Parameter writer: The other writer's name in the error.
  package func lock(against writer: String) throws(FileError) {
    guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
      throw FileError(.create, path, "\(writer) is writing it")
    }
  }

  /// Locks the file as `lock` does, but waits while another descriptor has the lock.
  package func waitForLock() throws(FileError) {
    while flock(raw, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileError(.create, path, "it cannot be locked") }
    }
  }

  /// Locks the file as `lock` does. Returns false if it is locked.
  package func lockIfFree() throws(FileError) -> Bool {
    while flock(raw, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw FileError(.create, path, "it cannot be locked") }
    }
    return true
  }

  /// Releases the lock, although the file may stay open for a while.
  package func unlock() { flock(raw, LOCK_UN) }

  package func truncate(to length: Int64) throws(FileError) {
    guard ftruncate(raw, off_t(length)) == 0 else { throw FileError(.write, path) }
  }

  /// Moves `from` to `target` atomically, replacing it.
  package static func move(_ from: String, to target: String) throws(FileError) {
    guard unsafe rename(from, target) == 0 else { throw FileError(.move, target) }
  }

  package static func remove(_ path: String) {
    _ = unsafe unlink(path)
  }
}

extension FileDescriptor {
  /// Reads `count` bytes, fewer only at the end of the file.
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

  /// Returns when the file's content is on the disk (fsync).
  package func sync() throws(FileError) {
    while fsync(raw) != 0 {
      if errno != EINTR { throw FileError(.write, path) }
    }
  }
}

extension FileDescriptor {
  /// Creates a file that only this user can access, from the beginning. Throws if the path exists.
  package convenience init(private path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o600)
  }

  /// Creates a file with the default permissions. Throws if the path exists.
  package convenience init(usual path: String) throws(FileError) {
    try self.init(new: path, permissions: 0o666)
  }

  private convenience init(new path: String, permissions: mode_t) throws(FileError) {
    let raw = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
    guard raw >= 0 else { throw FileError(.create, path) }
    self.init(raw, path)
  }

  /// Throws unless this is a regular file of this user with one link, because other programs could write to
  /// any other file.
  package func checkIsOwn() throws(FileError) {
    let info = try status()
    guard info.isRegular, info.isOwn, info.links == 1 else {
      throw FileError(.create, path, "the path exists, but is not a regular file of this user")
    }
  }

  /// Creates a folder that only this user can access, if it does not exist.
  package static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.create, path) }
  }

  /// Creates a folder that only this user can access, and the missing folders above it. A link to a folder counts as one.
  package static func makeFolders(_ path: String) throws(FileError) {
    if isFolder(path) { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeFolders(String(path[..<slash]))
    }
    try makeFolder(path)
    guard isFolder(path) else { throw FileError(.create, path, "it exists, and is not a folder") }
  }

  private static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return unsafe stat(path, &info) == 0 && FileStatus(info).isFolder
  }
}
