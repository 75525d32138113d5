#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of cookies that several processes read and write. All functions block.
struct CookieFile: Sendable {
  /// The most bytes of one cookie: each of its octets may take two, and there are names and dates.
  private static let longestLine = 2 * (Cookie.longestPair + Cookie.longestPath) + 2000

  struct Contents: Sendable {
    let entries: [CookieJar.Entry]
    let status: FileStatus
  }

  private let file: ReplacedFile
  /// The most bytes that are read.
  private let limit: Int64

  init(path: String, lockPath: String, limits: CookieLimits) {
    file = ReplacedFile(path: path, lockPath: lockPath)
    // Another process may allow more cookies.
    limit = Int64(max(limits.total, CookieLimits().total)) * Int64(Self.longestLine)
  }

  var path: String { file.path }
  var status: FileStatus? { file.status }

  /// The path of a file that was set aside. There is one at most.
  var asidePath: String { path + ".damaged" }

  /// Reads the file; nil if there is none.
  /// - Throws: `CookieFileFault`, or `FileError` if it cannot be read.
  func load() throws -> Contents? {
    guard let opened = try file.opened() else { return nil }
    let (status, length) = (try opened.status(), try opened.length())
    // A sparse file has the length that it claims.
    guard length <= limit else { throw CookieFileFault.damaged }
    let entries = try CookieFileFormat.entries(in: opened.read(Int(length), at: 0))
    return Contents(entries: entries, status: status)
  }

  /// How long a process waits for another, which holds the lock for as long as a write takes.
  static let patience = Duration.seconds(5)

  /// Calls `body` while no other process writes the file.
  func locked<Result>(within patience: Duration = patience, _ body: () throws -> Result) throws -> Result {
    try makeFolder()
    let lock = try file.lock(within: patience)
    defer { lock.unlock() }
    return try body()
  }

  /// Replaces the file; without cookies it is removed, which works on a full disk, too. It must be locked.
  /// - Parameter old: The status of the file before.
  func replace(with entries: [CookieJar.Entry], after old: FileStatus?) throws -> CookieShelfState.Stamp {
    let stamp: CookieShelfState.Stamp
    if entries.isEmpty {
      FileDescriptor.remove(file.draftPath)
      FileDescriptor.remove(path)
      guard status == nil else { throw FileError(.write, path, "it cannot be removed") }
      stamp = .missing
    } else {
      stamp = .file(try file.replace(with: CookieFileFormat.data(of: entries), after: old))
    }
    // A power failure before this sync loses the last change at worst.
    try? file.syncFolder()
    return stamp
  }

  /// Removes a file that was set aside, and one that was not finished.
  func removeLeftovers() throws {
    let leftovers = [asidePath, file.draftPath].filter { FileDescriptor.status(of: $0) != nil }
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

  /// Makes the folder with those above it, for this user only.
  private func makeFolder() throws(FileError) {
    var missing: [String] = []
    var next = file.folder
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
