import ErrandTesting
import Foundation

@testable import ErrandOutbox

/// A folder that lasts as long as a test.
final class StoreTestFolder: Sendable {
  let url: URL

  /// - Parameter isOnDisk: False for a test that writes much and does not need a disk.
  init(isOnDisk: Bool = true) {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = !isOnDisk && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "errand-outbox-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var database: URL { url.appending(path: "outbox.sqlite") }

  func open(_ change: (inout StoreSetup) -> Void = { _ in }) async throws -> SQLiteOutboxStore {
    var setup = StoreSetup()
    change(&setup)
    return try await SQLiteOutboxStore(folder: url, setup: setup)
  }

  /// Opens a connection as another program would.
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
