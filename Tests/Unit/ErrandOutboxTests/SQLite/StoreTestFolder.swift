import ErrandCore
import ErrandTesting
import Foundation
import TestSupport

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// The folder of a store, for one test. It is created by the store, or by `make`.
final class StoreTestFolder: Sendable {
  private let temporary: TemporaryFolder
  var url: URL { temporary.url }
  /// The time of the stores that `open` returns.
  let time = Locked(StoreTime.sample)

  /// - Parameter isOnDisk: False for a test that writes much and does not need a disk.
  init(isOnDisk: Bool = true) { temporary = TemporaryFolder(isOnDisk: isOnDisk) }

  func make() throws { try temporary.make() }

  var database: URL { url.appending(path: "outbox.sqlite") }

  func open(_ change: (inout StoreSetup) -> Void = { _ in }) async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    setup.time = { [self] in time.withLock { $0 } }
    change(&setup)
    return try await SQLiteOutboxStore(folder: url, setup: setup)
  }

  /// Opens a connection like another program would.
  func connect() throws -> Database { try Database(path: database.path, busyTimeout: .zero) }

  /// Opens a session like that of a store.
  func session(_ commits: Counter = Counter()) throws -> StoreSession {
    let folder = StoreFolder(path: url.path)
    try folder.make()
    let database = try Database(path: folder.database, busyTimeout: .seconds(5))
    try database.prepare()
    let owners = try FileLivenessRegistry(folder: folder.owners)
    return StoreSession(
      database, owners: owners, notifier: PipeChangeNotifier(folder: folder.owners, owner: owners.name),
      commits: commits)
  }
}
