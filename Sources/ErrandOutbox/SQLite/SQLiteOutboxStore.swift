#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps an outbox's requests in an SQLite file (`outbox.sqlite`) in a folder. Other processes may use the same folder at
/// the same time; it must be on a disk of this machine.
///
/// What a method did is on the disk when it returns: it survives the end of the process and of the machine, at any instant.
/// Callers that come while another's transaction is being written share the next one, so many at once cost little more than
/// one. All work is done on a thread of the store's own.
///
/// A store that is let go without `close` ends by itself, a little later.
public final class SQLiteOutboxStore: OutboxStore {
  private static let pageSize = 500

  private let runner: any StoreRunner
  private let counter: Counter

  /// Opens the store, or makes it.
  ///
  /// - Parameter folder: A folder of the store's own. If it is missing it is made, for this user only.
  /// - Throws: `OutboxError`: `.notWritable` if the folder or the file cannot be written, `.damaged` if the file is no
  ///   outbox's, or damaged, `.tooNew` if a newer version wrote it (in both cases it is left as it was), `.busy` if another
  ///   process holds it for more than five seconds, `.diskFull`.
  public convenience init(folder: URL) async throws {
    try await self.init(folder: folder, setup: StoreSetup())
  }

  package init(folder: URL, setup: StoreSetup) async throws {
    counter = setup.commits
    runner = try await setup.open(folder.path)
  }

  /// How many transactions were committed, for the benchmarks.
  @_spi(Benchmarks) public var commits: Int { counter.value }

  deinit { runner.close(isGraceful: true) {} }

  public func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) async throws -> Dropped {
    try await runner.write { try $0.add(rows, within: caps, at: now) }
  }

  public func claim(_ bounds: ClaimBounds, for lease: Duration, at now: StoreTime) async throws -> Claim {
    try await runner.write { try $0.claim(bounds, for: lease, at: now) }
  }

  /// Written to a file of this owner's own, and not through to the disk: that waits for nobody.
  public func begin(_ leases: [Lease]) async throws { runner.owners.begin(leases.map(\.number)) }

  public func renew(_ leases: [Lease], for lease: Duration, at now: StoreTime) async throws -> [Lease] {
    try await runner.write { try $0.renew(leases, for: lease, at: now) }
  }

  public func finish(_ tries: [FinishedTry], at now: StoreTime) async throws -> [Finished] {
    let finished = try await runner.write { try $0.finish(tries, at: now) }
    runner.owners.end(tries.map(\.lease.number))
    return finished
  }

  public func hasten(at now: StoreTime) async throws -> Int {
    var count = 0
    while true {
      let some = try await runner.write { try $0.hasten(at: now) }
      count += some
      if some < OutboxTables.pageSize { return count }
    }
  }

  public func release(_ origins: [String]?) async throws {
    try await runner.write { try $0.release(origins) }
  }

  public func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
    try await runner.read { try $0.rows(ids) }
  }

  public func list(
    _ selection: OutboxSelection, after sequence: Int64, limit: Int
  ) async throws -> [OutboxRow] {
    var rows: [OutboxRow] = []
    // In pages, so that what writes need not wait for all of a long list.
    while rows.count < limit {
      let (last, wanted) = (rows.last?.sequence ?? sequence, min(limit - rows.count, Self.pageSize))
      let page = try await runner.read { try $0.list(selection, after: last, limit: wanted) }
      rows += page
      if page.count < wanted { break }
    }
    return rows
  }

  public func contents(of ids: [OutboxID]) async throws -> [Data?] {
    try await runner.read { try $0.contents(of: ids) }
  }

  public func retry(_ selection: OutboxSelection, at now: StoreTime) async throws -> [OutboxRow] {
    var rows: [OutboxRow] = []
    for selection in selection.parts {
      try await inParts {
        try $0.retry(selection, in: &$1, at: now)
      } taking: {
        rows += $0
      }
    }
    return rows
  }

  public func drop(
    _ selection: OutboxSelection, reason: String, at now: StoreTime
  ) async throws -> Dropped {
    var dropped = Dropped()
    for selection in selection.parts {
      try await inParts {
        try $0.drop(selection, reason: reason, in: &$1, at: now)
      } taking: {
        dropped.rows += $0.rows
        dropped.files += $0.files
      }
    }
    return dropped
  }

  /// In several transactions, between which others have theirs.
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

  public func setPaused(_ isPaused: Bool, lane: String?) async throws {
    try await runner.write { try $0.setPaused(isPaused, lane: lane) }
  }

  public func statistics() async throws -> OutboxStatistics {
    try await runner.read { try $0.statistics() }
  }

  /// In several transactions, so that nobody waits long: if one fails, what was forgotten before stays forgotten, and its
  /// files are left for the next sweep.
  public func prune(changedBefore changed: Int64) async throws -> [String] {
    var files: [String] = []
    while true {
      let (found, isDone) = try await runner.write { try $0.prune(changedBefore: changed) }
      files += found
      if isDone { break }
    }
    while try await !runner.write({ try $0.shrink() }) {}
    return files
  }

  public func used(_ files: [String]) async throws -> Set<String> {
    try await runner.read { try $0.used(files) }
  }

  public func onForeignChange(_ handler: @escaping @Sendable () -> Void) {
    let runner = runner
    let look = { @Sendable (receive: @escaping @Sendable (Bool) -> Void) in
      runner.submit(
        TypedOperation(isWrite: false, { try $0.hasForeignChange() }) { receive((try? $0.get()) ?? false) })
    }
    look { _ in
      runner.doorbell.listen { look { if $0 { handler() } } }
    }
  }

  public func close() async {
    await withCheckedContinuation { continuation in
      runner.close(isGraceful: true) { continuation.resume() }
    }
  }

  /// Ends as if its process had died: nothing is given back, and its lock is gone.
  package func abandon() async {
    await withCheckedContinuation { continuation in
      runner.close(isGraceful: false) { continuation.resume() }
    }
  }
}

extension OutboxSelection {
  /// Each with as many ids as one transaction takes at most.
  fileprivate var parts: [OutboxSelection] {
    guard let ids, ids.count > OutboxTables.pageSize else { return [self] }
    return stride(from: 0, to: ids.count, by: OutboxTables.pageSize).map { start in
      var part = self
      part.ids = Array(ids[start..<min(start + OutboxTables.pageSize, ids.count)])
      return part
    }
  }
}
