import ErrandCore
import Foundation

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// The folder of a store, in memory where possible, because there are many writes and a disk would not
/// improve the test.
final class ModelFolder: Sendable {
  let url: URL
  /// The time of the stores.
  let time = Locked(StoreTime(ticks: 1_000_000, wall: 1_700_000_000_000, boot: "first"))

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
    setup.time = { [self] in time.withLock { $0 } }
    return try await SQLiteOutboxStore(folder: url, setup: setup)
  }
}
