package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Stores the requests of an outbox. The package has `SQLiteOutboxStore` for one machine, and
/// `PostgresOutboxStore` for several.
///
/// Each method is one transaction: when it returns, its change is durable, and when it throws, it changed
/// nothing. Only methods that may change very many rows (`rescheduleOffline`, `retry`, `drop`, `prune`) may
/// use several transactions, so that none blocks the store for long. If one of these transactions fails, the
/// earlier ones remain. A method reads one consistent state of the store. A long `list` may read several
/// states one after the other, and skips no row that is open all the while. Any task may call any method at
/// any time.
///
/// The store keeps its own time: it decides when a row is due, when a lease ends and when a row expires.
/// Durations must stay right when the wall clock is set, and must include the time during which the machine
/// sleeps.
///
/// Several stores, in several processes, may share the same data. Each store is one *owner*. An owner has the
/// rows that it claimed until it finishes them, until their leases end, or until the owner is gone.
///
/// `OutboxStoreConformance` (in `ErrandConformance`) tests every rule. These hold at every instant:
/// - At most one row of each lane is being attempted. When it was claimed, it was the first of the rows that
///   are open (or block the lane). Only a row that is retried by hand can come before it later.
/// - A row is delivered once; a delivered row has no content and no files any more.
package protocol OutboxStore: Sendable {
  /// Adds rows, all or none, in this order. A row whose id the store knows is skipped, so adding is
  /// idempotent, unless the row says otherwise (`NewRow.ifKnown`). A row that replaces another keeps its
  /// sequence, if the earlier one was never claimed and is in the same lane. Otherwise it is added to the end
  /// of its lane, so that an unfinished attempt of the earlier row cannot be mistaken for one of the new row.
  /// - Returns: The rows that were dropped to make room, their files and those of replaced rows, and the
  ///   indices of the rows that the store knew already.
  /// - Throws: `OutboxError.full` if the rows exceed the caps; `.known` if the store knows a row's id, and the
  ///   row forbids that.
  func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped

  /// Claims rows to attempt: the rows of the highest priority first, and of these the oldest. Rows whose
  /// expiry has passed expire. Leases that have run out, or whose owner is gone, end. Paused rows are left.
  /// Origins that are held, or have no capacity left, are skipped, however many rows they have.
  ///
  /// A row whose lease ended waits before its next attempt (`ClaimBounds.backoff`) if its request was being
  /// sent (`begin`). Otherwise the row returns to its state before the claim.
  /// - Parameter lease: How long the claim lasts if it is not renewed.
  func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim

  /// Notes that these rows are about to be sent. If their owner ends before they are finished, they count as
  /// attempted. The note has to survive the process, but not a crash of the machine. A store that cannot note
  /// it treats every claimed row as begun.
  ///
  /// A lease that has ended by the store's time is not held, even if no other owner has claimed its row yet.
  /// Its row is not noted, and must not be sent.
  /// - Returns: The leases that are still held, in the same order.
  func begin(_ leases: [Lease]) async throws -> [Lease]

  /// Extends leases to this long from now.
  /// - Returns: The leases that were lost: another owner may have their rows.
  func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease]

  /// Asks whether another request to this origin may be sent within its rate limit. Of all owners together, no more
  /// requests may be sent than the limit allows. If two owners have different limits, each request counts by its own.
  func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass

  /// Stores the upload of a row that is being attempted, in place of an earlier one. It stays until the row is delivered
  /// (`FinishedAttempt.hasUpload`) or removed.
  /// - Parameter madeProgress: True if the attempts before this one no longer count.
  /// - Returns: False if the row does not have this lease any more. Then nothing is stored.
  func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool

  /// Returns the uploads of these rows; nil for a row without one.
  func uploads(of ids: [OutboxID]) async throws -> [Data?]

  /// Records how attempts ended, and the news of their origins. `delivered` counts even if the
  /// lease has ended, unless the row has ended already. Any other outcome counts only with its lease.
  /// - Returns: The result of each attempt, in the same order.
  func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished]

  /// Makes rows due now whose attempts could not connect. Ends the holds of all origins except those that a
  /// server asked for.
  /// - Returns: The number of rows.
  func rescheduleOffline() async throws -> Int

  /// Ends the holds of these origins; nil for all.
  func release(_ origins: [String]?) async throws

  /// Returns the rows with these ids, in their order; nil for an id that is not known (any more).
  func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?]

  /// Returns a page of rows, in the order of enqueue. A page with fewer rows than `limit` is the last one.
  /// - Parameter sequence: Rows after this one are returned; 0 for the first page.
  func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) async throws -> [OutboxRow]

  /// Returns rows that are being attempted although their leases ended, or their owners were gone, at least
  /// this long ago: no owner has taken them over. The row that was claimed first comes first.
  /// - Parameter limit: The most rows that are returned.
  func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow]

  /// Returns the content of these rows; nil for a row that has no content (any more). Its files exist only as
  /// long as the row.
  func contents(of ids: [OutboxID]) async throws -> [Data?]

  /// Makes rows due now that are stored, dead letters or expired. Dead letters and expired rows regain their
  /// attempts, do not expire any more, and return to their places in their lanes. Rows in other states are
  /// left. The holds of their origins end.
  ///
  /// - Parameter force: True to end the leases of rows that are being attempted, too, of any owner. Their
  ///   attempts count like attempts whose leases ran out, and the rows are due now instead of after a
  ///   backoff.
  /// - Returns: The rows as they are now.
  func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow]

  /// Drops rows that are stored, dead letters or expired. Rows that are being attempted are left.
  func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped

  /// Pauses or resumes claiming, of the whole store or of one lane. Attempts that have begun continue. The
  /// setting survives the process.
  func setPaused(_ isPaused: Bool, lane: String?) async throws

  /// Returns the numbers of rows and bytes, the pauses and the held origins.
  func statistics() async throws -> OutboxStatistics

  /// Returns since when the stored row is due that has been due longest: milliseconds since 1970; nil if no row is
  /// due. A row is not due while it waits for its time, or for another row of its lane. Pauses and holds of origins
  /// do not matter. Of many due rows, only the first 1,000 by priority and age are compared.
  func dueSince() async throws -> Int64?

  /// Counts the rows of each lane that are stored, being attempted, or dead letters. Rows without a lane are
  /// counted together. The default implementation reads all these rows.
  /// - Returns: The lanes. The lane with the oldest row comes first.
  func laneStatistics() async throws -> [LaneStatistics]

  /// Returns the processes that have claimed rows, and how many. A store may also return processes without claims.
  func claimants() async throws -> [StoreWorker]

  /// Removes rows that were delivered, expired or dropped at least this long ago.
  /// - Returns: The files of these rows.
  func prune(olderThan age: Duration) async throws -> [String]

  /// Returns which of these files belong to a row.
  func used(_ files: [String]) async throws -> Set<String>

  /// Sets a handler that is called, on any thread, when other owners have changed the data. The call is a
  /// hint. If a read after this method does not show a change, a call follows.
  func onForeignChange(_ handler: @escaping @Sendable () -> Void)

  /// Gives back all claimed rows, and closes the store. Any later call fails with `OutboxError.closed`.
  func close() async
}

extension OutboxStore {
  /// Makes rows due now, except rows that are being attempted.
  package func retry(_ selection: OutboxSelection) async throws -> [OutboxRow] {
    try await retry(selection, force: false)
  }

  /// Returns the row with this id; nil if it is not known (any more).
  func row(_ id: OutboxID) async throws -> OutboxRow? { try await rows([id]).first ?? nil }
}

/// Rows that were dropped, and files that belong to no request any more.
package struct Dropped: Sendable, Hashable {
  package var rows: [OutboxRow]
  package var files: [String]
  /// The indices of the added rows that the store knew already, in order.
  package var known: [Int]

  package init(rows: [OutboxRow] = [], files: [String] = [], known: [Int] = []) {
    self.rows = rows
    self.files = files
    self.known = known
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up so that no wait ends too early, and at least zero.
  package var storedMilliseconds: Int64 {
    let limited = min(max(self, .zero), .longest)
    let (seconds, attoseconds) = limited.components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
