#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that a download is written to, beside its target: its creation, discovery and move into place.
/// Until it is complete, only the user can read it.
///
/// A part file that a later call can resume has a name that depends on the target alone, and a memo beside
/// it. Each other part file has a unique name with a suffix, by which the files of dead processes are found.
struct PartFile: Sendable {
  let path: String
  let resumes: Bool
  private let target: String
  private let stem: String
  private var memoPath: String { path + ".json" }

  init(of target: URL, resumes: Bool) {
    self.resumes = resumes
    self.target = target.path
    stem = "\(target.deletingLastPathComponent().path)/.\(Draft.shortened(target.lastPathComponent))"
    path = resumes ? "\(stem).errand-part" : Draft.path(stem)
  }

  /// Opens and locks the part file for this download alone.
  func open() throws(FileError) -> FileDescriptor {
    DraftSweep.sweepOnce(URL(literalPath: path).deletingLastPathComponent().path)
    for _ in 0..<100 {
      let file = try resumes ? FileDescriptor(writing: path) : FileDescriptor(private: path)
      if resumes { try file.checkIsOwn() }
      // Only a sweep can hold the lock on a unique name, and it releases the lock at once.
      try resumes ? file.lock(against: "another download") : file.waitForLock()
      // Before it was locked, the file may have been moved into place or swept. Then it is no longer the part
      // file.
      if file.isStill(at: path) { return file }
    }
    throw FileError(.create, path, "another process removes it as soon as it is created")
  }

  func readMemo() -> PartialContent? {
    let memo: PartialContent? = Memo.read(memoPath)
    return memo.flatMap { IfRange.isValid($0.validator) ? $0 : nil }
  }

  func removeMemo() { FileDescriptor.remove(memoPath) }

  /// Writes the memo. A failure is ignored, because it costs only the chance to resume in a later call.
  func writeMemo(_ content: PartialContent) { Memo.write(content, to: memoPath) }

  func remove() {
    FileDescriptor.remove(path)
    removeMemo()
  }

  /// Moves the complete file to the target, with the permissions of the file that it replaces, or else those
  /// of a new file.
  func commit(_ file: FileDescriptor) throws(FileError) {
    file.setPermissions(FileDescriptor.permissions(of: target) ?? usualPermissions())
    do {
      try FileDescriptor.move(path, to: target)
    } catch {
      file.setPermissions(0o600)
      throw error
    }
    removeMemo()
  }

  /// Returns the permissions of a new file in this folder. It creates a file to learn them, because the
  /// process's umask cannot be read without changing it.
  private func usualPermissions() -> UInt32 {
    let path = Draft.path(stem)
    defer { FileDescriptor.remove(path) }
    return (try? FileDescriptor(usual: path).status())?.permissions ?? 0o600
  }
}

/// The downloads of this process, by the part file that they write, so that one can wait for another to
/// release it.
enum PartFiles {
  private static let writers = Locked<[ExactBytes: Download]>([:])

  static func writer(of path: String) -> Download? { writers.withLock { $0[ExactBytes(path)] } }

  /// Registers a download as the writer of a part file.
  /// - Returns: The other download that writes it; nil if `download` is now registered.
  static func begin(_ path: String, _ download: Download) -> Download? {
    writers.withLock { writers in
      if let other = writers[ExactBytes(path)], other !== download { return other }
      writers[ExactBytes(path)] = download
      return nil
    }
  }

  static func end(_ path: String, _ download: Download) {
    // Returned, so that the download is released outside the lock.
    let path = ExactBytes(path)
    _ = writers.withLock { $0[path] === download ? $0.removeValue(forKey: path) : nil }
  }
}
