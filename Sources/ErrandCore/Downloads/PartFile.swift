#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that a download is written to, beside its target: how it is made, found again, and put in place. Nobody but the
/// user can read it before it is whole.
///
/// One that a later call can go on with has a name that the target alone decides, and a memo beside it. Others have a name
/// of their own each, by which the ones that dead processes left are known.
struct PartFile: Sendable {
  /// The largest memo: longer is none of ours.
  private static let memoLimit: Int64 = 64 << 10
  /// The most bytes that a file's name may have.
  private static let longestName = 255

  let path: String
  let resumes: Bool
  private let target: String
  private let stem: String
  private var memoPath: String { path + ".json" }

  init(of target: URL, resumes: Bool) {
    self.resumes = resumes
    self.target = target.path
    stem = "\(target.deletingLastPathComponent().path)/.\(Self.shortened(target.lastPathComponent))"
    path = resumes ? "\(stem).errand-part" : Self.temporary(stem)
  }

  /// A name of which the longest of the names that are made of it, that of a draft, is still a name: a long one's beginning,
  /// and a digest of all of it.
  static func shortened(_ name: String) -> String {
    let limit = longestName - temporary(".").utf8.count
    guard name.utf8.count > limit else { return name }
    let digest = ".\(SHA256Digest(hashing: Data(name.utf8)).description.prefix(16))"
    var beginning = ""
    for character in name {
      guard beginning.utf8.count + character.utf8.count + digest.utf8.count <= limit else { break }
      beginning.append(character)
    }
    return beginning + digest
  }

  private static func temporary(_ stem: String) -> String {
    "\(stem).\(UInt64.random(in: 0...(.max)).hexadecimal(16))\(PartSweep.suffix)"
  }

  /// Opens the part, for this download alone.
  func open() throws(FileError) -> FileDescriptor {
    PartSweep.sweepOnce(URL(filePath: path).deletingLastPathComponent().path)
    for _ in 0..<100 {
      let file = try resumes ? FileDescriptor(writing: path) : FileDescriptor(private: path)
      if resumes { try file.checkIsOwn() }
      // Only a sweep can have one of its own name, and lets it go at once.
      try resumes ? file.lock() : file.waitForLock()
      // Before it was locked it may have been moved into place, or swept: then it is no part any more.
      if file.isStill(at: path) { return file }
    }
    throw FileError(.create, path, "another process removes it at once")
  }

  func readMemo() -> PartialContent? {
    guard let file = try? FileDescriptor(reading: memoPath), let length = try? file.length(),
      length <= Self.memoLimit, let data = try? file.read(Int(length), at: 0)
    else { return nil }
    let memo = try? JSONDecoder().decode(PartialContent.self, from: data)
    return memo.flatMap { IfRange.isValid($0.validator) ? $0 : nil }
  }

  func removeMemo() { FileDescriptor.remove(memoPath) }

  /// Without a memo the part is worth nothing to a later call, and nothing else.
  func writeMemo(_ content: PartialContent) {
    let draft = Self.temporary(stem)
    do {
      let data = try JSONEncoder().encode(content)
      try FileDescriptor(private: draft).write(data, at: 0)
      try FileDescriptor.move(draft, to: memoPath)
    } catch {
      FileDescriptor.remove(draft)
    }
  }

  func remove() {
    FileDescriptor.remove(path)
    removeMemo()
  }

  /// Puts the whole part in the target's place, for those who could read the target before.
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

  /// What a new file in this folder gets. Only making one tells: the process's mask can be read by changing it only.
  private func usualPermissions() -> UInt32 {
    let path = Self.temporary(stem)
    defer { FileDescriptor.remove(path) }
    return (try? FileDescriptor(usual: path).status())?.permissions ?? 0o600
  }
}
