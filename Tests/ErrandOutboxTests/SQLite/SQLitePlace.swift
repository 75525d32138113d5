import ErrandOutbox
import ErrandTesting

struct SQLitePlace: OutboxStoreConformance.Place {
  let folder = StoreTestFolder()
  var setup = StoreSetup()

  func open() async throws -> any OutboxStore {
    try await SQLiteOutboxStore(folder: folder.url, setup: setup)
  }

  func abandon(_ store: any OutboxStore) async throws { await (store as? SQLiteOutboxStore)?.abandon() }
}
