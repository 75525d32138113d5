#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes new contents of files, on their way to their places: hidden files beside them, under names that no other file
/// has. A draft is locked while its process lives; `PartSweep` removes those of dead processes.
enum Draft {
  /// Creates a draft that only this user can access.
  static func open(beside path: String) throws(FileError) -> FileDescriptor {
    let target = URL(filePath: path)
    let folder = target.deletingLastPathComponent().path
    PartSweep.sweepOnce(folder)
    let stem = "\(folder)/.\(PartFile.shortened(target.lastPathComponent))"
    for _ in 0..<100 {
      let draft = try FileDescriptor(private: PartFile.temporary(stem))
      // Until it is claimed, a sweep may take the draft for that of a dead process.
      if draft.claim() { return draft }
    }
    throw FileError(.create, path, "another process removes every draft of it at once")
  }
}
