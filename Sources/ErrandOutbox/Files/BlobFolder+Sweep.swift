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

extension BlobFolder {
  /// The most files in one question to the store.
  private static let batch = 500

  /// Removes files that ended processes left behind. Such a process ended before the rows were stored, or
  /// after the rows were removed and before the files were.
  ///
  /// Files that belong to a row are not even opened. For the others, the sweep first takes their hold and
  /// then asks the store again. A file that is about to have a row, in any process, is still held, and the
  /// sweep leaves it. A file whose hold was released has its row by then.
  /// - Parameter used: Returns the given files that belong to a row.
  /// - Returns: The names of the removed files.
  @discardableResult
  public func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
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
        // Content files have longer names and are removed first, so that the hold's file exists until they
        // are gone.
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

  /// A hold that belongs to no process.
  private struct AbandonedHold: Sendable {
    /// The hold's file; nil if the file is missing because the hold was released.
    let file: FileDescriptor?
  }

  /// Returns the hold if it belongs to no process. The hold's file is created before the files that it holds,
  /// so a missing file means that the hold was released.
  private func abandonedHold(_ number: String) -> AbandonedHold? {
    do {
      let file = try FileDescriptor(reading: file(ContentFileName.hold(number)))
      return file.holdIfAbandoned() ? AbandonedHold(file: file) : nil
    } catch {
      return error.systemCode == ENOENT ? AbandonedHold(file: nil) : nil
    }
  }

  /// True if no process has the file open. Earlier versions locked each file instead of a hold.
  private func isAbandoned(_ name: String) -> Bool {
    if ContentFileName.isHold(name) { return true }
    guard let file = try? FileDescriptor(reading: file(name)) else { return false }
    return file.holdIfAbandoned()
  }
}
