import Foundation

/// A folder for one test, removed with this object.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "errand-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A server that was told to stop may still remove files of its own in there, which makes this fail
    // half-way.
    for _ in 0..<200 where FileManager.default.fileExists(atPath: url.path) {
      if (try? FileManager.default.removeItem(at: url)) == nil { usleep(5000) }
    }
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }
}
