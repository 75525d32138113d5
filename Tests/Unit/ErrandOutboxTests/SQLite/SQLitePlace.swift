import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

@testable import ErrandConformance

struct SQLitePlace: OutboxStoreConformance.Place {
  let folder: StoreTestFolder
  let setup: StoreSetup

  init(_ setup: StoreSetup = StoreSetup()) {
    self.setup = setup
    // With `runsInCaller` the store runs on the caller's thread, which is shared, so nothing there may wait
    // for a disk.
    folder = StoreTestFolder(isOnDisk: !setup.runsInCaller)
  }

  func open(_ clocks: OutboxStoreConformance.Clocks) async throws -> any OutboxStore {
    var setup = setup
    setup.time = {
      StoreTime(
        ticks: Int64(clocks.uptime.wholeMilliseconds), wall: clocks.date.milliseconds,
        boot: "\(clocks.starts)")
    }
    return try await SQLiteOutboxStore(folder: folder.url, setup: setup)
  }

  func abandon(_ store: any OutboxStore) async throws { await (store as? SQLiteOutboxStore)?.abandon() }
}
