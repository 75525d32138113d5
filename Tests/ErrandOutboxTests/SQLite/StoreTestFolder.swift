import ErrandOutbox
import ErrandTesting
import Foundation

/// A folder that lasts as long as a test.
final class StoreTestFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "errand-outbox-\(UUID().uuidString)", directoryHint: .isDirectory)

  deinit { try? FileManager.default.removeItem(at: url) }

  var database: URL { url.appending(path: "outbox.sqlite") }

  func open(_ change: (inout StoreSetup) -> Void = { _ in }) async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    change(&setup)
    return try await SQLiteOutboxStore(folder: url, setup: setup)
  }
}

struct SQLitePlace: OutboxStoreConformance.Place {
  let folder = StoreTestFolder()
  var setup = StoreSetup()

  func open() async throws -> any OutboxStore {
    try await SQLiteOutboxStore(folder: folder.url, setup: setup)
  }

  func abandon(_ store: any OutboxStore) async throws { await (store as? SQLiteOutboxStore)?.abandon() }
}
