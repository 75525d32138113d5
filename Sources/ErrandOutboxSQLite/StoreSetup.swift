/// The system services of a store, which tests and simulations replace.
package struct StoreSetup: Sendable {
  /// The name of the layer between SQLite and the disk; nil for the system's.
  package var vfs: String?
  /// True to run all operations on the caller's thread, at once.
  package var runsInCaller = false
  /// The liveness registry; nil for lock files in the store's folder.
  package var owners: (any LivenessRegistry)?
  /// The change notifier; nil for named pipes in the store's folder.
  package var notifier: (any ChangeNotifier)?
  /// The time that is written down. Default: the system's clocks.
  package var time: @Sendable () -> StoreTime = { .now() }
  /// How long a transaction waits for one of another process.
  package var busyTimeout = Duration.seconds(5)
  /// Counts the committed transactions.
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
      let owners = try self.owners ?? FileLivenessRegistry(folder: folder.owners)
      let notifier = self.notifier ?? PipeChangeNotifier(folder: folder.owners, owner: owners.name)
      return StoreSession(database, owners: owners, notifier: notifier, time: time, commits: commits)
    } catch {
      database.close()
      throw error
    }
  }
}
