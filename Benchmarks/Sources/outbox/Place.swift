import Foundation

/// The place for a benchmark's databases, so that all compared databases are on one disk.
struct Place: Sendable {
  let root: String

  /// Creates a folder, and removes it after the block.
  func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = URL(filePath: root).appending(path: "errand-outbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
