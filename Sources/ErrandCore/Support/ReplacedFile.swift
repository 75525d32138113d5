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

/// A file of this user that several processes share. It is replaced as a whole, never changed in place, so it
/// can be read at any time. One process at a time replaces it, while it holds the lock of a file beside it.
/// All functions block.
package struct ReplacedFile: Sendable {
  package let path: String
  private let lockPath: String

  package init(path: String, lockPath: String) {
    self.path = path
    self.lockPath = lockPath
  }

  package var folder: String { URL(literalPath: path).deletingLastPathComponent().path }
  package var status: FileStatus? { FileDescriptor.status(of: path) }
  /// A text that changes with each replacement; empty for a missing file, nil if its status cannot be read.
  package var version: String? { FileStamp.text(of: path) }

  /// Opens the file for reading. Returns nil if it does not exist.
  /// - Throws: `FileError`, if it cannot be read, or belongs to another user.
  package func opened() throws(FileError) -> FileDescriptor? {
    if status?.isLink ?? false {
      throw FileError(
        .open, path,
        "it is a symbolic link, which would be replaced by a file: give the path that it leads to")
    }
    let file: FileDescriptor
    do {
      file = try FileDescriptor(reading: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    try file.checkIsOwn()
    return file
  }

  /// Waits until no other process holds the lock. It is held until the returned descriptor is unlocked or
  /// released.
  /// - Parameters:
  ///   - patience: The longest wait. A process that was stopped, or that hangs, keeps its locks.
  ///   - isOver: Ends the wait, too, when it returns true.
  /// - Throws: `FileError`, if the lock is still held after the wait, or the file cannot be locked.
  package func lock(within patience: Duration, unless isOver: () -> Bool = { false }) throws(FileError)
    -> FileDescriptor
  {
    let lock = try FileDescriptor(writing: lockPath)
    try lock.checkIsOwn()
    let began = ContinuousClock.now
    while !(try lock.lockIfFree()) {
      let waited = ContinuousClock.now - began
      guard waited < patience, !isOver() else {
        throw FileError(
          .open, lockPath,
          "another process has held its lock for \(waited.formattedSeconds): it hangs, or was stopped; end it"
        )
      }
      // A blocking wait in the system could not be ended early.
      usleep(UInt32(min(20_000, 1000 + waited / .microseconds(20))))
    }
    return lock
  }

  /// Replaces the content. The file must be locked.
  /// - Parameters:
  ///   - old: The status of the old file.
  ///   - permissions: The permissions of the new file. Default: those of a file for this user only.
  package func replace(with data: Data, after old: FileStatus?, permissions: UInt32? = nil) throws
    -> FileStatus
  {
    let draft = try Draft.open(beside: path)
    do {
      try draft.write(data, at: 0)
      if let permissions { draft.setPermissions(permissions) }
      // The system's own dates are some milliseconds apart. With these dates, no file is taken for an earlier
      // one, even if the system gives it the number of a deleted file.
      draft.stamp(max(Date(), (old?.modified ?? .distantPast).addingTimeInterval(2e-6)))
      try draft.sync()
      try FileDescriptor.move(draft.path, to: path)
    } catch {
      FileDescriptor.remove(draft.path)
      throw error
    }
    return try draft.status()
  }

  /// Removes the drafts of dead processes in the folder.
  package func removeDrafts() { DraftSweep.sweep(folder) }

  /// Returns when a replacement would survive a power failure.
  package func syncFolder() throws(FileError) { try FileDescriptor(reading: folder).sync() }
}
