import ErrandCore
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The system services of a store, which tests and simulations replace.
package struct StoreSetup: Sendable {
  /// The name of the layer between SQLite and the disk; nil for the system's layer.
  package var vfs: String?
  /// True to run all operations on the caller's thread, at once.
  package var runsInCaller = false
  /// The liveness registry; nil for lock files in the store's folder.
  package var owners: (any LivenessRegistry)?
  /// The change notifier; nil for named pipes in the store's folder.
  package var notifier: (any ChangeNotifier)?
  /// Returns the time that is stored. Default: the time by the system's clocks.
  package var time: @Sendable () -> StoreTime = { .now() }
  /// How long a transaction waits for a transaction of another process.
  package var busyTimeout = Duration.seconds(5)
  /// Counts the committed transactions.
  package var commits = Counter()

  package init() {}

  func open(_ folder: String) async throws -> any StoreRunner {
    if runsInCaller { return InlineRunner(try makeSession(folder)) }
    return try await ThreadRunner.start { try makeSession(folder) }
  }

  /// Opens a connection that only reads, for another thread; nil if only one connection is possible.
  func openReader(_ folder: String) throws -> OutboxTables? {
    guard vfs == nil, !runsInCaller else { return nil }
    let database = try Database(path: StoreFolder(path: folder).database, busyTimeout: busyTimeout)
    database.leaveAsItIs()
    return OutboxTables(database, owners: Reader(), time: time)
  }

  /// A reader owns no rows.
  private struct Reader: LivenessRegistry {
    let name = ""

    func isAlive(_ owner: String) -> Bool { true }
    func leave() {}
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

/// The folder of a store, and the files in it.
struct StoreFolder {
  let path: String

  var database: String { path + "/outbox.sqlite" }
  /// The folder in which each open store has its lock file.
  var owners: String { path + "/owners" }

  /// Creates the missing folders and the database file, for this user only.
  func make() throws {
    let parents = parentsOfMissing
    do {
      try FileDescriptor.makeFolders(path)
    } catch {
      throw OutboxError.notWritable(path, "\(error)")
    }
    // Without the flush, a loss of power could remove the new folder with all its contents. A folder that
    // cannot be read cannot be flushed.
    for parent in parents { try? FileDescriptor.flushFolder(parent) }
    try makeDatabase()
  }

  /// The folders in which missing folders have to be created.
  private var parentsOfMissing: [String] {
    var parents: [String] = []
    var url = URL(literalPath: path)
    while access(url.path, F_OK) != 0, url.path != "/" {
      url = url.deletingLastPathComponent()
      parents.append(url.path)
    }
    return parents
  }

  /// Creates the database file with the right permissions. SQLite gives the same permissions to the files
  /// beside it.
  private func makeDatabase() throws {
    // An existing file is not opened, because closing it would release the locks of all stores in this
    // process.
    let file = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      FolderOwner.adopt(file, in: path)
      close(file)
    } else if errno != EEXIST {
      throw OutboxError.system("cannot create", database)
    } else {
      try refuseLink()
      try refuseEmptied()
    }
  }

  /// Refuses a link to a missing file, which SQLite would create readable for all, and for root a link of another user,
  /// who could make root write to any file.
  private func refuseLink() throws {
    var info = stat()
    guard lstat(database, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return }
    let isOfAnother = geteuid() == 0 && info.st_uid != 0
    guard isOfAnother || access(database, F_OK) != 0 else { return }
    throw OutboxError.notWritable(
      database, isOfAnother ? "it is a link of another user" : "it is a link to a missing file")
  }

  /// Refuses a file that was emptied while it was in use. SQLite treats a file of at most one byte as a new
  /// one, and would delete the log beside it.
  private func refuseEmptied() throws {
    var info = stat()
    guard stat(database, &info) == 0, info.st_size <= 1, access(owners, F_OK) == 0 else { return }
    throw OutboxError.damaged(database, "it was emptied after it was in use")
  }
}
