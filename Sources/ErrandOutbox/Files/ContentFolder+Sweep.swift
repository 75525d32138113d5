import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ContentFolder {
  /// As many files as are asked for together.
  private static let batch = 500

  /// Removes what processes left behind that ended before their rows were stored, or after these were gone.
  ///
  /// What belongs to a row is not even opened. The rest is asked for again while its hold is in the sweeper's hands: so what
  /// is about to have a row, by any process, is not touched, and what was let go of has its row by then.
  /// - Parameter used: Which of these files belong to a row.
  /// - Returns: The names of what was removed.
  @discardableResult
  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
    let candidates = try await perform { self.candidates() }
    var unused = candidates.filter(ContentFileName.isPart)
    let contents = candidates.filter(ContentFileName.isContent)
    for start in stride(from: 0, to: contents.count, by: Self.batch) {
      try Task.checkCancellation()
      let batch = Array(contents[start..<min(start + Self.batch, contents.count)])
      let known = try await used(batch)
      unused += batch.filter { !known.contains($0) }
    }
    var removed: [String] = []
    let groups = Dictionary(grouping: unused) { ContentFileName.hold(of: $0) ?? "" }
    for (number, names) in groups.sorted(by: { $0.key < $1.key }) {
      try Task.checkCancellation()
      guard let hold = try await perform({ self.abandonedHold(number) }) else { continue }
      let contents = names.filter(ContentFileName.isContent)
      let known = contents.isEmpty ? [] : try await used(contents)
      removed += try await perform {
        Failpoint.hit(.beforeSweep)
        // The hold's own file comes last: as long as it is there, it tells of the others.
        let orphans = names.filter { !known.contains($0) && self.isAbandoned($0) }.sorted {
          $0.count > $1.count
        }
        for orphan in orphans { FileDescriptor.remove(self.file(orphan)) }
        Failpoint.hit(.afterSweep)
        return orphans
      }
      withExtendedLifetime(hold) {}
    }
    return removed
  }

  private func candidates() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { ContentFileName.isContent($0) || ContentFileName.isPart($0) }
  }

  /// A hold that nobody has.
  private struct AbandonedHold: Sendable {
    /// Nil if its file is gone: then it was let go of.
    let file: FileDescriptor?
  }

  /// Nil if somebody has it. Its file was there before all that it holds.
  private func abandonedHold(_ number: String) -> AbandonedHold? {
    do {
      let file = try FileDescriptor(reading: file(ContentFileName.hold(number)))
      return file.holdIfAbandoned() ? AbandonedHold(file: file) : nil
    } catch {
      return error.systemCode == ENOENT ? AbandonedHold(file: nil) : nil
    }
  }

  /// Files of an earlier version are held by those who have them open.
  private func isAbandoned(_ name: String) -> Bool {
    if ContentFileName.isHold(name) { return true }
    guard let file = try? FileDescriptor(reading: file(name)) else { return false }
    return file.holdIfAbandoned()
  }
}
