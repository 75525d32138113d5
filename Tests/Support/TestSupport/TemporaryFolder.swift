package import Foundation

/// A folder for one test, removed with this object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package convenience init() throws {
    self.init(isOnDisk: true)
    try make()
  }

  /// Names a folder, and creates it only with `make`: the code under test may do that itself.
  /// - Parameter isOnDisk: False for a test that writes much and does not need a disk.
  package init(isOnDisk: Bool) {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = !isOnDisk && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "errand-test-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  deinit {
    // A stopping server may still remove its files in there, which makes this fail half-way.
    for _ in 0..<200 where FileManager.default.fileExists(atPath: url.path) {
      if (try? FileManager.default.removeItem(at: url)) == nil { usleep(5000) }
    }
  }

  package func make() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Runs the body with a folder that is removed afterwards.
  package static func using<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    return try await body(folder.url)
  }

  package func file(_ name: String) -> URL { url.appending(path: name) }

  package func path(_ name: String) -> String { file(name).path }

  package func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  /// Writes a file without a flush; Foundation flushes when it writes to a URL, which blocks its thread.
  package func write(_ data: Data, to name: String) throws {
    try emptyFile(name).write(contentsOf: data)
  }

  /// Creates a file of zeros, which takes neither space nor time, and returns its URL.
  package func zeros(_ name: String, _ length: Int) throws -> URL {
    try emptyFile(name).truncate(atOffset: UInt64(length))
    return file(name)
  }

  private func emptyFile(_ name: String) throws -> FileHandle {
    let descriptor = open(path(name), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The names in the folder, sorted.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
