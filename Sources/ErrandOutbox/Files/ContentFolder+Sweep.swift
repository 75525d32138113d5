import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ContentFolder {
  /// As many files as are looked at together: each of them is open meanwhile.
  private static let batch = 64

  /// Removes what processes left behind that ended before their rows were stored, or after these were gone. To be done at
  /// launch.
  ///
  /// Each file is taken hold of before it is asked who uses it. So one whose row is about to be stored, by any process, is
  /// not touched, and one that was let go of has its row by then.
  /// - Parameter used: Which of these files belong to a row.
  /// - Returns: The names of what was removed.
  @discardableResult
  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
    var rest = try await perform { self.candidates() }[...]
    var removed: [String] = []
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.batch))
      rest = rest.dropFirst(batch.count)
      let held = try await perform { batch.compactMap(self.abandoned) }
      let contents = held.map(\.name).filter(ContentFileName.isContent)
      let used = contents.isEmpty ? [] : try await used(contents)
      let orphans = held.filter { !used.contains($0.name) }
      try await perform {
        Failpoint.hit(.beforeSweep)
        for orphan in orphans { FileDescriptor.remove(orphan.file.path) }
        Failpoint.hit(.afterSweep)
      }
      removed += orphans.map(\.name)
      // Held until it is removed, or found to be used.
      withExtendedLifetime(held) {}
    }
    return removed
  }

  private func candidates() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { ContentFileName.isContent($0) || ContentFileName.isPart($0) }
  }

  /// The file, if nobody else holds it.
  private func abandoned(_ name: String) -> (name: String, file: FileDescriptor)? {
    guard let file = try? FileDescriptor(reading: file(name)), file.holdIfAbandoned() else { return nil }
    return (name, file)
  }
}
