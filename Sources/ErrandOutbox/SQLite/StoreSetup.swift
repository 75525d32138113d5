/// What a store on SQLite stands on. Tests and simulations put something else in the place of the system.
package struct StoreSetup: Sendable {
  /// The name of the layer between SQLite and the disk; nil for the system's.
  package var vfs: String?
  /// True to do everything on the caller's thread, at once.
  package var runsInCaller = false
  /// Nil for locked files in the store's folder.
  package var owners: (any OwnerRegistry)?
  /// Nil for named pipes in the store's folder.
  package var doorbell: (any Doorbell)?
  /// How long a transaction waits for that of another process.
  package var busyTimeout = Duration.seconds(5)
  /// Counts the transactions that were committed.
  package var commits = Counter()

  package init() {}

  func open(_ folder: String) async throws -> any StoreRunner {
    if runsInCaller { return InlineRunner(try makeSession(folder)) }
    return try await ThreadRunner.start { try makeSession(folder) }
  }

  private func makeSession(_ folder: String) throws -> StoreSession {
    let folder = StoreFolder(path: folder)
    if vfs == nil { try folder.make() }
    let database = try Database(path: folder.database, vfs: vfs, busyTimeout: busyTimeout)
    do {
      try database.prepare()
      let owners = try self.owners ?? FileOwnerRegistry(folder: folder.owners)
      let doorbell = self.doorbell ?? PipeDoorbell(folder: folder.owners, owner: owners.name)
      return StoreSession(database, owners: owners, doorbell: doorbell, commits: commits)
    } catch {
      database.close()
      throw error
    }
  }
}
