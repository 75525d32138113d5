#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of cookies that several processes read and write. All functions block.
///
/// The file is replaced as a whole, never changed in place, so it can be read at any time. It is replaced by
/// one process at a time, which holds the lock of a file beside it.
struct CookieFile: Sendable {
  /// The most bytes of one cookie: each of its octets may take two, and there are names and dates.
  private static let longestLine = 2 * (Cookie.longestPair + Cookie.longestPath) + 2000

  struct Contents: Sendable {
    let entries: [CookieJar.Entry]
    let status: FileStatus
  }

  let path: String
  private let lockPath: String
  /// The most bytes that are read.
  private let limit: Int64

  init(path: String, lockPath: String, limits: CookieLimits) {
    self.path = path
    self.lockPath = lockPath
    // Another process may allow more cookies.
    limit = Int64(max(limits.total, CookieLimits().total)) * Int64(Self.longestLine)
  }

  var status: FileStatus? { FileDescriptor.status(of: path) }

  /// The path of a file that was set aside. There is one at most.
  var asidePath: String { path + ".damaged" }
  private var draftPath: String { path + ".draft" }

  /// Reads the file; nil if there is none.
  /// - Throws: `CookieFileFault`, or `FileError` if it cannot be read.
  func load() throws -> Contents? {
    let file: FileDescriptor
    do {
      file = try FileDescriptor(reading: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    try file.checkIsOwn()
    let (status, length) = (try file.status(), try file.length())
    // A sparse file has the length that it claims.
    guard length <= limit else { throw CookieFileFault.damaged }
    let entries = try CookieFileFormat.entries(in: file.read(Int(length), at: 0))
    return Contents(entries: entries, status: status)
  }

  /// Calls `body` while no other process writes the file.
  func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try makeFolder()
    let lock = try FileDescriptor(writing: lockPath)
    try lock.checkIsOwn()
    try lock.waitForLock()
    defer { lock.unlock() }
    return try body()
  }

  /// Replaces the file; without cookies it is removed, which works on a full disk, too. It must be locked.
  /// - Parameter old: The status of the file before.
  func replace(with entries: [CookieJar.Entry], after old: FileStatus?) throws -> CookieShelfState.Stamp {
    // One is left if a process died.
    FileDescriptor.remove(draftPath)
    let stamp: CookieShelfState.Stamp
    if entries.isEmpty {
      FileDescriptor.remove(path)
      guard status == nil else { throw FileError(.write, path, "it cannot be removed") }
      stamp = .missing
    } else {
      stamp = .file(try write(CookieFileFormat.data(of: entries), after: old))
    }
    // A power failure before this sync loses the last change at worst.
    try? FileDescriptor(reading: folder).sync()
    return stamp
  }

  private func write(_ data: Data, after old: FileStatus?) throws -> FileStatus {
    let draft = try FileDescriptor(private: draftPath)
    do {
      try draft.write(data, at: 0)
      // The system's own dates are some milliseconds apart. With these, no file is taken for one before it,
      // even if the system gives it the number of one that is gone.
      draft.stamp(max(Date(), (old?.modified ?? .distantPast).addingTimeInterval(2e-6)))
      try draft.sync()
      try FileDescriptor.move(draftPath, to: path)
    } catch {
      FileDescriptor.remove(draftPath)
      throw error
    }
    return try draft.status()
  }

  /// Removes a file that was set aside, and one that was not finished.
  func removeLeftovers() throws {
    let leftovers = [asidePath, draftPath].filter { FileDescriptor.status(of: $0) != nil }
    guard !leftovers.isEmpty else { return }
    try locked {
      for path in leftovers {
        FileDescriptor.remove(path)
        guard FileDescriptor.status(of: path) == nil else {
          throw FileError(.write, path, "it cannot be removed")
        }
      }
    }
  }

  /// Moves the file out of the way. It must be locked.
  func setAside() throws(FileError) { try FileDescriptor.move(path, to: asidePath) }

  private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

  /// Makes the folder with those above it, for this user only.
  private func makeFolder() throws(FileError) {
    var missing: [String] = []
    var next = folder
    while true {
      do {
        try FileDescriptor.makeFolder(next)
        break
      } catch {
        let parent = URL(filePath: next).deletingLastPathComponent().path
        guard error.isMissing, parent.utf8.count < next.utf8.count else { throw error }
        missing.append(next)
        next = parent
      }
    }
    for path in missing.reversed() { try FileDescriptor.makeFolder(path) }
  }
}
