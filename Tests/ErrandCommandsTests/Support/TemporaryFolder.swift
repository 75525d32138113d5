import Foundation

/// Folders for single tests.
enum TemporaryFolder {
  static func make() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "errand-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  static func using<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = try make()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
