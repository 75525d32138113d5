#if Postgres
  package import ErrandCore
  public import ErrandOutbox

  #if canImport(FoundationEssentials)
    package import FoundationEssentials
  #else
    package import Foundation
  #endif

  /// Stores an outbox's requests in a PostgreSQL database (15 or later), for a fleet of machines that share
  /// the database.
  ///
  /// ```swift
  /// let store = try await PostgresOutboxStore("postgres://app@db.example.com/app")
  /// let outbox = try await Outbox(store: store, client: client)
  /// ```
  ///
  /// When a method returns, its changes are committed. Dates are those of the server's clock, and durations
  /// do not change when that clock is set. A worker that gives no sign of life for `PostgresSettings.absence`
  /// loses its requests to other workers. Calls that arrive while a transaction is being committed share the
  /// next one.
  ///
  /// Call `close` before you release a store. Otherwise its connections end a little later, and its requests
  /// wait until the worker counts as gone.
  public final class PostgresOutboxStore: OutboxStore {
    static let pageSize = 500

    let core: StoreCore
    let postgresBlobs: PostgresBlobs
    private let adds: Batcher<AddCall, AddStep>
    /// The calls that cannot share a statement with others, and those that wait for another transaction. They
    /// use few connections, and each of their statements gives up soon, so that other calls can proceed.
    private let lateAdds: Batcher<AddCall, AddStep>
    private let begins: Batcher<BeginCall, [Lease]>
    private let signals: StoreSignals

    /// Opens the store on a database. If `settings.migrates` is true, it first brings the schema to the
    /// newest version.
    ///
    /// The URL has the form that libpq reads: `postgres://user@host:5432/database?sslmode=verify-full`. The
    /// password may be in it, in the file that `PGPASSFILE` names, or in `PGPASSWORD`. No message shows it.
    /// - Throws: `OutboxError`: `.failed` if the URL cannot be read or the server cannot be reached in time,
    ///   `.notWritable` if the role lacks rights or the server is a standby, `.tooNew` if a newer version of
    ///   Errand made the schema.
    public init(_ url: String, settings: PostgresSettings = PostgresSettings()) async throws {
      let core = try await StoreCore.open(url, settings)
      self.core = core
      let blobs = PostgresBlobs(core)
      postgresBlobs = blobs
      adds = Batcher(most: 256, parallel: max(1, settings.connections / 2)) { await core.add($0) }
      lateAdds = Batcher(most: 1, parallel: max(1, settings.connections / 4)) { await core.add($0) }
      begins = Batcher(most: 512, parallel: 1) { calls in await core.begin(calls) }
      signals = StoreSignals(core) { await blobs.renewHolds() }
    }

    deinit {
      signals.end()
      core.link.close {}
    }

    /// The database, for messages, without the user and the password.
    package var location: String { "\(core.link.url), schema \(core.schema.name)" }

    /// The store of large bodies, in tables of the same schema.
    package var blobs: any BlobStore { postgresBlobs }

    /// Brings a database's schema to the newest version.
    /// - Parameter dryRun: True to change nothing. Default: false.
    /// - Returns: The migrations that were done, or with `dryRun` the pending ones.
    /// - Throws: `OutboxError`, as `init`.
    @discardableResult
    package static func migrate(
      _ url: String, settings: PostgresSettings = PostgresSettings(), dryRun: Bool = false
    ) async throws -> [PostgresMigration] {
      let (link, migrator) = try await StoreCore.connect(url, settings, channel: nil)
      defer { link.close {} }
      return dryRun ? try await migrator.pending() : try await migrator.migrate()
    }

    // MARK: Adding and claiming

    package func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped {
      try core.checkOpen()
      guard !rows.isEmpty else { return Dropped() }
      defer { signals.hasChanged() }
      var call = AddCall(rows: rows, caps: caps, deadline: core.link.callDeadline())
      var step = try await adds.call(call)
      while case .alone(let mayBeAdded) = step {
        call.mayBeAdded = mayBeAdded
        step = try await lateAdds.call(call)
      }
      guard case .added(let dropped) = step else { return Dropped() }
      return dropped
    }

    package func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim {
      try core.checkOpen()
      let claim = try await core.claim(bounds, for: lease)
      if claim.hasNews { signals.hasChanged() }
      return claim.claim
    }

    package func begin(_ leases: [Lease]) async throws -> [Lease] {
      try core.checkOpen()
      return leases.isEmpty
        ? [] : try await begins.call(BeginCall(leases: leases, deadline: core.link.callDeadline()))
    }

    package func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease] {
      try core.checkOpen()
      return try await core.renew(leases, for: lease)
    }

    package func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass {
      try core.checkOpen()
      return try await core.takePass(origin, limit)
    }

    package func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool {
      try core.checkOpen()
      return try await core.keep(upload, madeProgress: madeProgress, of: lease)
    }

    package func uploads(of ids: [OutboxID]) async throws -> [Data?] {
      try core.checkOpen()
      return try await core.uploads(of: ids)
    }

    package func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
      try core.checkOpen()
      guard !attempts.isEmpty else { return [] }
      defer { signals.hasChanged() }
      return try await core.finish(attempts)
    }

    // MARK: By hand

    package func rescheduleOffline() async throws -> Int {
      try core.checkOpen()
      defer { signals.hasChanged() }
      return try await core.rescheduleOffline()
    }

    package func release(_ origins: [String]?) async throws {
      try core.checkOpen()
      defer { signals.hasChanged() }
      try await core.release(origins)
    }

    package func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow] {
      try core.checkOpen()
      defer { signals.hasChanged() }
      return try await core.retry(selection, force: force)
    }

    package func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
      try core.checkOpen()
      defer { signals.hasChanged() }
      return try await core.drop(selection, reason: reason)
    }

    package func setPaused(_ isPaused: Bool, lane: String?) async throws {
      try core.checkOpen()
      defer { signals.hasChanged() }
      try await core.setPaused(isPaused, lane: lane)
    }

    /// Removes rows in several transactions, so that no other transaction waits long.
    package func prune(olderThan age: Duration) async throws -> [String] {
      try core.checkOpen()
      return try await core.prune(olderThan: age)
    }

    // MARK: Reading

    package func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
      try core.checkOpen()
      return try await core.rows(ids)
    }

    package func list(
      _ selection: OutboxSelection, after sequence: Int64, limit: Int
    ) async throws -> [OutboxRow] {
      try core.checkOpen()
      return try await core.list(selection, after: sequence, limit: limit)
    }

    package func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow] {
      try core.checkOpen()
      return try await core.abandoned(for: duration, limit: limit)
    }

    package func contents(of ids: [OutboxID]) async throws -> [Data?] {
      try core.checkOpen()
      return try await core.contents(of: ids)
    }

    package func statistics() async throws -> OutboxStatistics {
      try core.checkOpen()
      return try await core.statistics()
    }

    package func dueSince() async throws -> Int64? {
      try core.checkOpen()
      return try await core.dueSince()
    }

    package func laneStatistics() async throws -> [LaneStatistics] {
      try core.checkOpen()
      return try await core.laneStatistics()
    }

    package func claimants() async throws -> [StoreWorker] {
      try await workers().map {
        StoreWorker(
          name: "\($0.name) (\($0.id))", claims: $0.attempting, isAlive: $0.isAlive,
          isOwn: $0.id == Int(core.owner))
      }
    }

    package func used(_ files: [String]) async throws -> Set<String> {
      try core.checkOpen()
      return try await core.used(files)
    }

    // MARK: Other workers, and the end

    package func onForeignChange(_ handler: @escaping @Sendable () -> Void) { signals.listen(handler) }

    /// Gives back all claimed rows and closes the store, within a few seconds if the server does not respond.
    public func close() async {
      guard core.close() else { return }
      signals.end()
      await core.leave()
      await withCheckedContinuation { continuation in core.link.close { continuation.resume() } }
    }

    /// Closes the store as if its process had crashed and counted as gone: it does not return its claims.
    package func abandon() async {
      guard core.close() else { return }
      signals.end()
      await core.vanish()
      await withCheckedContinuation { continuation in core.link.close { continuation.resume() } }
    }
  }
#endif
