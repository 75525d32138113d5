import Foundation

/// The place for a benchmark's databases: one disk for all that is compared.
struct Place: Sendable {
  let root: String

  /// Creates a new folder, and removes it after the block.
  func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = URL(filePath: root).appending(path: "errand-outbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
