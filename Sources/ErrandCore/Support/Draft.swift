import Dispatch
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Creates drafts: hidden files, beside the files that they will replace, under unique names. A draft is
/// locked while its process lives. `DraftSweep` removes the drafts of dead processes.
enum Draft {
  /// The end of the name of each draft.
  static let suffix = ".errand-temp"
  /// The most bytes that a file's name may have.
  private static let longestName = 255
  /// The queue on which downloads are moved into place, and folders are swept. It is serial, because only a
  /// serial queue has a dedicated thread on Linux; concurrent ones share theirs with all tasks.
  static let moving = DispatchQueue(label: "errand.downloads")

  /// Creates a draft that only this user can access.
  static func open(beside path: String) throws(FileError) -> FileDescriptor {
    let target = URL(literalPath: path)
    let folder = target.deletingLastPathComponent().path
    DraftSweep.sweepOnce(folder)
    let stem = "\(folder)/.\(shortened(target.lastPathComponent))"
    for _ in 0..<100 {
      let draft = try FileDescriptor(private: Self.path(stem))
      // Until it is claimed, a sweep may take the draft for that of a dead process.
      if draft.claim() { return draft }
    }
    throw FileError(.create, path, "another process removes each draft of it")
  }

  /// Shortens a name to its beginning and a digest of all of it. Every name derived from it, of which a
  /// draft's is the longest, then stays within the limit.
  static func shortened(_ name: String) -> String {
    let limit = longestName - path(".").utf8.count
    guard name.utf8.count > limit else { return name }
    let digest = ".\(SHA256Digest(hashing: Data(name.utf8)).description.prefix(16))"
    var beginning = ""
    for character in name {
      guard beginning.utf8.count + character.utf8.count + digest.utf8.count <= limit else { break }
      beginning.append(character)
    }
    return beginning + digest
  }

  /// Returns a unique path.
  static func path(_ stem: String) -> String {
    "\(stem).\(UInt64.random(in: 0...(.max)).hexadecimal(16))\(suffix)"
  }
}

/// Removes the drafts of dead processes, including the part files of downloads that cannot be resumed.
enum DraftSweep {
  /// The folders that were swept. When there are many, all are forgotten, because sweeping a folder again
  /// costs little.
  private static let swept = Locked<Set<ExactBytes>>([])
  private static let limit = 1000

  /// Sweeps the folder once per process. It runs on the queue on which drafts are moved into place, so the
  /// sweep ends before the first move.
  static func sweepOnce(_ folder: String) {
    let isNew = swept.withLock { swept in
      if swept.count >= limit { swept = [] }
      return swept.insert(ExactBytes(folder)).inserted
    }
    if isNew { Draft.moving.async { sweep(folder) } }
  }

  static func sweep(_ folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(".") && name.hasSuffix(Draft.suffix) {
      let path = "\(folder)/\(name)"
      guard let file = try? FileDescriptor(writing: path, mayCreate: false), (try? file.checkIsOwn()) != nil,
        file.isAbandoned()
      else { continue }
      FileDescriptor.remove(path)
    }
  }
}
