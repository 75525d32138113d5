import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Removes the part files of downloads that ended with their process and cannot be resumed.
enum PartSweep {
  /// The suffix of a part file that belongs to one call only.
  static let suffix = ".errand-temp"

  /// The folders that were swept. Forgotten when there are many: sweeping one again costs little.
  private static let swept = Locked<Set<String>>([])
  private static let limit = 1000

  /// Sweeps the folder, once per process, on the queue on which downloads are moved into place: so the sweep
  /// ends before the first move.
  static func sweepOnce(_ folder: String) {
    let isNew = swept.withLock { swept in
      if swept.count >= limit { swept = [] }
      return swept.insert(folder).inserted
    }
    if isNew { Download.moving.async { sweep(folder) } }
  }

  static func sweep(_ folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(".") && name.hasSuffix(suffix) {
      let path = "\(folder)/\(name)"
      guard let file = try? FileDescriptor(writing: path, mayCreate: false), (try? file.checkIsOwn()) != nil,
        file.isAbandoned()
      else { continue }
      FileDescriptor.remove(path)
    }
  }
}
