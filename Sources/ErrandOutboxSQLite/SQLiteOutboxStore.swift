import CSQLite
public import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores an outbox's requests in an SQLite file (`outbox.sqlite`) in a folder. The folder must be on a local
/// disk. Several processes may use it at the same time.
///
/// When a method returns, its changes are on the disk: they survive the end of the process and of the machine
/// at any instant. Calls that arrive while a transaction is being written share the next one, so that many
/// concurrent calls cost little more than one. All work is done on a dedicated thread.
///
/// A store that is released without `close` closes itself a little later.
package final class SQLiteOutboxStore: HandoverStore {
  private static let pageSize = 500
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  private let runner: RestingRunner
  private let counter: Counter
  /// The mark of the folder of bodies; nil until it is known.
  private let bodiesMark = Locked<String?>(nil)

  /// Opens the store, or creates it.
  ///
  /// - Parameter folder: The folder, which the store uses alone. If it is missing, it is created for this
  ///   user only.
  /// - Throws: `OutboxError`: `.notWritable` if the folder or the file cannot be written, `.damaged` if the
  ///   file is damaged or not that of an outbox, `.tooNew` if a newer version wrote it (in both cases it is
  ///   not changed), `.busy` if another process locks it for more than five seconds, `.diskFull`.
  package convenience init(folder: URL) async throws {
    try await self.init(folder: folder, setup: StoreSetup())
  }

  package init(folder: URL, setup: StoreSetup) async throws {
    counter = setup.commits
    runner = try await RestingRunner { [path = folder.path] in
      try await setup.open(path)
    } reader: { [path = folder.path] in
      try setup.openReader(path)
    }
  }

  /// The number of committed transactions.
  var commits: Int { counter.value }

  deinit { runner.close(isGraceful: true) {} }

  package func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped {
    let bodies = rows.contains { !$0.files.isEmpty } ? bodiesMark.withLock(\.self) : nil
    return try await runner.write(newRows: rows.count) { tables in
      if let bodies { try tables.check(bodies: bodies) }
      return try tables.add(rows, within: caps, at: tables.time())
    }
  }

  /// Returns the mark of the folder of bodies that the file remembers, and whether a request has its body in a file.
  func bodies() async throws -> (mark: String?, hasBodies: Bool) { try await runner.read { try $0.bodies() } }

  /// Uses a folder of bodies.
  /// - Parameters:
  ///   - mark: The mark of the folder; empty for the outbox's folder.
  ///   - known: The mark that the file remembers.
  ///   - isKnown: True if nothing has to be written, as for nearly all outboxes.
  func use(bodies mark: String, insteadOf known: String?, isKnown: Bool) async throws {
    if !isKnown { try await runner.write { try $0.use(bodies: mark, insteadOf: known) } }
    bodiesMark.withLock { $0 = mark }
  }

  package func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim {
    try await runner.write { try $0.claim(bounds, for: lease, at: $0.time()) }
  }

  /// Writes the leases that are held to a file beside this store's lock, without flushing it.
  package func begin(_ leases: [Lease]) async throws -> [Lease] {
    let held = try await runner.read { try $0.held(leases, at: $0.time()) }
    runner.owners.begin(held.map(\.number))
    return held
  }

  package func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease] {
    try await runner.write { try $0.renew(leases, for: lease, at: $0.time()) }
  }

  package func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass {
    try await runner.write { try $0.takePass(origin, limit, at: $0.time()) }
  }

  package func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool {
    try await runner.write { try $0.keep(upload, madeProgress: madeProgress, of: lease) }
  }

  package func uploads(of ids: [OutboxID]) async throws -> [Data?] {
    try await runner.read { try $0.uploads(of: ids) }
  }

  /// Records how attempts ended. If the disk is too full for all of them, each is recorded in a separate
  /// transaction, and makes room for the next. If one of these fails, the earlier ones stay recorded.
  package func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
    do {
      let finished = try await runner.write { try $0.finish(attempts, at: $0.time()) }
      runner.owners.end(attempts.map(\.lease.number))
      return finished
    } catch let error as OutboxError where error.code == .diskFull && attempts.count > 1 {
      var finished: [Finished] = []
      for attempt in attempts { finished += try await finish([attempt]) }
      return finished
    }
  }

  package func rescheduleOffline() async throws -> Int {
    var count = 0
    while true {
      let some = try await runner.write { try $0.rescheduleOffline(at: $0.time()) }
      count += some
      if some < OutboxTables.pageSize { return count }
    }
  }

  package func release(_ origins: [String]?) async throws {
    try await runner.write { try $0.release(origins) }
  }

  package func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
    try await runner.read { try $0.rows(ids) }
  }

  package func list(
    _ selection: OutboxSelection, after sequence: Int64, limit: Int
  ) async throws -> [OutboxRow] {
    var rows: [OutboxRow] = []
    // Reads in pages, so that writes need not wait for a whole long list.
    while rows.count < limit {
      let (last, wanted) = (rows.last?.sequence ?? sequence, min(limit - rows.count, Self.pageSize))
      let page = try await runner.read { try $0.list(selection, after: last, limit: wanted) }
      rows += page
      if page.count < wanted { break }
    }
    return rows
  }

  package func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow] {
    try await runner.read { try $0.abandoned(for: duration, limit: limit, at: $0.time()) }
  }

  package func contents(of ids: [OutboxID]) async throws -> [Data?] {
    try await runner.read { try $0.contents(of: ids) }
  }

  package func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow] {
    var rows: [OutboxRow] = []
    for selection in selection.retried(force: force).parts {
      try await inParts {
        try $0.retry(selection, in: &$1, at: $0.time())
      } taking: {
        rows += $0
      }
    }
    return rows
  }

  package func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
    var dropped = Dropped()
    for selection in selection.parts {
      try await inParts {
        try $0.drop(selection, reason: reason, in: &$1, at: $0.time())
      } taking: {
        dropped.rows += $0.rows
        dropped.files += $0.files
      }
    }
    return dropped
  }

  /// Runs an operation in several transactions, so that other operations can run between them.
  private func inParts<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables, inout OutboxTables.Part) throws -> Value,
    taking take: (Value) -> Void
  ) async throws {
    var part = OutboxTables.Part()
    while !part.isLast {
      let before = part
      let value: Value
      (value, part) = try await runner.write { tables in
        var part = before
        return (try body(tables, &part), part)
      }
      take(value)
    }
  }

  package func setPaused(_ isPaused: Bool, lane: String?) async throws {
    try await runner.write { try $0.setPaused(isPaused, lane: lane) }
  }

  package func statistics() async throws -> OutboxStatistics {
    try await runner.read { try $0.statistics() }
  }

  package func dueSince() async throws -> Int64? {
    try await runner.read { try $0.dueSince(at: $0.time()) }
  }

  package func claimants() async throws -> [StoreWorker] { try await runner.read { try $0.workers() } }

  /// Counts on another thread with a second connection, so that other operations need not wait.
  package func laneStatistics() async throws -> [LaneStatistics] {
    try await runner.readApart { try $0.laneStatistics() }
  }

  /// Deletes in several transactions, so that other operations need not wait long. If one fails, the rows
  /// that were deleted before stay deleted, and the next sweep removes their files.
  package func prune(olderThan age: Duration) async throws -> [String] {
    var files: [String] = []
    while true {
      let (found, isDone) = try await runner.write {
        try $0.prune(changedBefore: $0.time().wall - Int64(age.wholeMilliseconds))
      }
      files += found
      if isDone { break }
    }
    while try await !runner.write({ try $0.shrink() }) {}
    return files
  }

  package func used(_ files: [String]) async throws -> Set<String> {
    try await runner.read { try $0.used(files) }
  }

  package func onForeignChange(_ handler: @escaping @Sendable () -> Void) {
    let runner = runner
    let look = { @Sendable (receive: @escaping @Sendable (Bool) -> Void) in
      runner.submit(
        StoreOperation(isWrite: false, { try $0.hasForeignChange() }) { receive((try? $0.get()) ?? false) })
    }
    let tell = { @Sendable in look { if $0 { handler() } } }
    runner.onOpen {
      look { _ in
        runner.notifier.listen(tell)
        // A notification of a change since the first look may have arrived before the store listened.
        tell()
      }
    }
  }

  package func hand(_ leases: [Lease], to session: String) async throws -> [Lease] {
    try await runner.write { try $0.hand(leases, to: session, at: $0.time()) }
  }

  package func handed(to session: String) async throws -> [Lease] {
    try await runner.read { try $0.handed(to: session) }
  }

  package func suspend() async { await runner.suspend() }

  package func resume() async throws { try await runner.resume() }

  package func close() async {
    await withCheckedContinuation { continuation in
      runner.close(isGraceful: true) { continuation.resume() }
    }
  }

  /// Closes the store as if its process had crashed: it releases its lock, but does not return its claims.
  package func abandon() async {
    await withCheckedContinuation { continuation in
      runner.close(isGraceful: false) { continuation.resume() }
    }
  }
}

extension OutboxSelection {
  /// The parts of this selection. Each has at most as many ids as one transaction takes.
  fileprivate var parts: [OutboxSelection] {
    guard let ids, ids.count > OutboxTables.pageSize else { return [self] }
    return stride(from: 0, to: ids.count, by: OutboxTables.pageSize).map { start in
      var part = self
      part.ids = Array(ids[start..<min(start + OutboxTables.pageSize, ids.count)])
      return part
    }
  }
}

extension Outbox {
  /// Opens the outbox in a folder, and begins to deliver its requests.
  /// - Parameters:
  ///   - folder: The folder, which the outbox uses alone. It must be on a local disk, in a place that the
  ///     system does not purge. If it is missing, it is created for this user only.
  ///   - bodies: The folder of files, and of bodies over 64 KiB, for example on a larger disk. All processes that
  ///     share the outbox must pass the same one, and another outbox must not. While bodies are stored, the outbox
  ///     is refused without that folder, and with an empty one: its disk may not be mounted. Nil, the default, for
  ///     `folder`.
  ///   - client: The client that sends the requests, through its interceptors. They take none of its slots.
  ///   - configuration: The settings. Default: those of `OutboxConfiguration()`.
  /// - Throws: `OutboxError`.
  public convenience init(
    at folder: URL, bodies: URL? = nil, client: Client,
    configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    try await self.init(
      at: folder, bodies: bodies, client: client, configuration: configuration, setup: StoreSetup())
  }

  package convenience init(
    at folder: URL, bodies: URL? = nil, client: Client, configuration: OutboxConfiguration, setup: StoreSetup
  ) async throws {
    let store = try await SQLiteOutboxStore(folder: folder, setup: setup)
    let mark: FolderMark?
    do {
      mark = try await BodiesOwner(store, outbox: folder, bodies: bodies).check()
    } catch {
      await store.close()
      throw error
    }
    try await self.init(
      store: store, folder: bodies ?? folder, mark: mark, client: client, configuration: configuration)
  }
}

/// For the benchmarks, which are a separate package.
@_spi(Benchmarks)
extension Outbox {
  /// The number of committed transactions; 0 for an outbox on another store.
  public var commits: Int { (store as? SQLiteOutboxStore)?.commits ?? 0 }
}
