import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
