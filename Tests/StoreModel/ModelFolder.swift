import Foundation

@testable import ErrandOutbox

/// A store's folder, in memory if there is room for that: there is much to write, and nothing to learn from a disk.
final class ModelFolder: Sendable {
  let url: URL

  init() {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "errand-model-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var database: URL { url.appending(path: "outbox.sqlite") }

  func open() async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    setup.runsInCaller = true
    return try await SQLiteOutboxStore(folder: url, setup: setup)
  }
}
