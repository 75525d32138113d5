import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of cookies that several processes read and write. All functions block.
struct CookieFile: Sendable {
  /// The maximum size of one cookie, in bytes: each of its octets may take two, and there are names and
  /// dates.
  private static let longestLine = 2 * (Cookie.longestPair + Cookie.longestPath) + 2000
  /// The maximum number of files that are set aside.
  private static let mostAside = 100

  enum Format: Sendable {
    case errand
    /// A cookies.txt, with its comments and the cookies that cannot be used.
    case netscape(rest: [Data])

    /// True if the file stores session cookies, as other programs do.
    var keepsSessionCookies: Bool {
      if case .netscape = self { true } else { false }
    }
  }

  struct Contents: Sendable {
    let entries: [CookieList.Entry]
    let status: FileStatus
    var format = Format.errand
  }

  private let file: ReplacedFile
  /// The maximum number of bytes that are read.
  private let limit: Int64

  init(path: String, lockPath: String, limits: CookieLimits) {
    file = ReplacedFile(path: path, lockPath: lockPath)
    // Another process may allow more cookies.
    limit = Int64(max(limits.total, CookieLimits().total)) * Int64(Self.longestLine)
  }

  var path: String { file.path }
  var status: FileStatus? { file.status }

  /// Reads the file. Returns nil if it does not exist.
  /// - Throws: `CookieFileFault`, or `FileError` if it cannot be read.
  func load() throws -> Contents? {
    guard let opened = try file.opened() else { return nil }
    let (status, length) = (try opened.status(), try opened.length())
    // A sparse file has the length that it claims.
    guard length <= limit else {
      throw CookieFileFormat.isOwn(try opened.read(1000, at: 0)) ? CookieFileFault.damaged : .foreign
    }
    let data = try opened.read(Int(length), at: 0)
    if data.isEmpty { return Contents(entries: [], status: status) }
    if CookieFileFormat.isOwn(data) {
      return Contents(entries: try CookieFileFormat.entries(in: data), status: status)
    }
    guard let cookies = NetscapeCookies(data, dated: status.modified) else {
      throw CookieFileFault.foreign
    }
    return Contents(entries: cookies.entries, status: status, format: .netscape(rest: cookies.rest))
  }

  /// True if another program wrote the contents.
  /// - Throws: `FileError`, if the file cannot be read.
  var isForeign: Bool {
    get throws {
      do {
        _ = try load()
        return false
      } catch let fault as CookieFileFault { return fault == .foreign }
    }
  }

  /// The error for a file of another program.
  var foreign: FileError {
    FileError(
      .open, path,
      "it was not written by Errand and is not a cookies.txt: choose another file")
  }

  /// The longest wait for another process, which holds the lock during one write.
  static let patience = Duration.seconds(5)

  /// Calls `body` while no other process writes the file.
  func locked<Result>(within patience: Duration = patience, _ body: () throws -> Result) throws -> Result {
    try makeFolder()
    let lock = try file.lock(within: patience)
    defer { lock.unlock() }
    return try body()
  }

  /// Replaces the file. Without cookies, a file in Errand's format is removed, which works on a full disk,
  /// too. The file must be locked, and `load` must have read it.
  /// - Parameter old: The status of the old file.
  func replace(
    with entries: [CookieList.Entry], in format: Format, after old: FileStatus?
  ) throws -> CookieShelfState.Stamp {
    let stamp: CookieShelfState.Stamp
    switch format {
    case .errand where entries.isEmpty:
      FileDescriptor.remove(path)
      guard status == nil else { throw FileError(.write, path, "it cannot be removed") }
      stamp = .missing
    case .errand: stamp = .file(try file.replace(with: CookieFileFormat.data(of: entries), after: old))
    case .netscape(let rest):
      let data = NetscapeCookies.data(of: entries, rest: rest)
      stamp = .file(try file.replace(with: data, after: old, permissions: old?.permissions))
    }
    // A power failure before this sync loses at most the last change.
    try? file.syncFolder()
    return stamp
  }

  /// Removes the files that were set aside, and unfinished ones.
  func removeLeftovers() throws {
    let leftovers = (asidePaths + [path + ".draft"]).filter(isOwn)
    file.removeDrafts()
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

  /// Moves the file to an unused path. It must be locked, and Errand must have written it.
  /// - Returns: The path.
  func setAside() throws(FileError) -> String {
    for path in asidePaths where FileDescriptor.status(of: path) == nil {
      do {
        // An empty file takes the name, so that no other file is replaced.
        _ = try FileDescriptor(private: path)
      } catch {
        if error.isTaken { continue }
        throw error
      }
      do {
        try FileDescriptor.move(self.path, to: path)
      } catch {
        FileDescriptor.remove(path)
        throw error
      }
      return path
    }
    throw FileError(.move, path, "\(Self.mostAside) damaged files are already beside it; remove some of them")
  }

  /// The paths of files that are set aside.
  private var asidePaths: [String] {
    (1...Self.mostAside).map { path + ($0 == 1 ? ".damaged" : ".damaged.\($0)") }
  }

  /// Returns true if Errand has written the file, judging by its content.
  private func isOwn(_ path: String) -> Bool {
    guard FileDescriptor.status(of: path)?.isRegular == true, let file = try? FileDescriptor(reading: path),
      let data = try? file.read(1000, at: 0)
    else { return false }
    return CookieFileFormat.isOwn(data)
  }

  /// Creates the folder and those above it, for this user only.
  private func makeFolder() throws(FileError) {
    var missing: [String] = []
    var next = file.folder
    while true {
      do {
        try FileDescriptor.makeFolder(next)
        break
      } catch {
        let parent = URL(literalPath: next).deletingLastPathComponent().path
        guard error.isMissing, parent.utf8.count < next.utf8.count else { throw error }
        missing.append(next)
        next = parent
      }
    }
    for path in missing.reversed() { try FileDescriptor.makeFolder(path) }
  }
}
