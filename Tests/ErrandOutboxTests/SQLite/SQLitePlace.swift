import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

struct SQLitePlace: OutboxStoreConformance.Place {
  let folder: StoreTestFolder
  let setup: StoreSetup

  init(_ setup: StoreSetup = StoreSetup()) {
    self.setup = setup
    // With `runsInCaller` the store runs on the caller's thread, which is shared: nothing there may wait for
    // a disk.
    folder = StoreTestFolder(isOnDisk: !setup.runsInCaller)
  }

  func open() async throws -> any OutboxStore {
    try await SQLiteOutboxStore(folder: folder.url, setup: setup)
  }

  func abandon(_ store: any OutboxStore) async throws { await (store as? SQLiteOutboxStore)?.abandon() }
}
