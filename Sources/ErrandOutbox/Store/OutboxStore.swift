import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where an outbox keeps its requests. The package has `SQLiteOutboxStore`; several machines may share
/// another.
///
/// Each method is one transaction: when it returns, what it did is durable, and when it throws, nothing
/// happened. Only methods that may change very many rows (`rescheduleOffline`, `retry`, `drop`, `prune`) may
/// take several transactions, so that none blocks the store for long: if one of them fails, those before it
/// stay done. A method reads one consistent state of the store; a long `list` may read several, one after the
/// other, and skips no row that is open all the while. All methods may be called at once, from any task.
///
/// Time is the store's own: it knows when a row is due, when a lease ends and when a row expires. It must keep
/// to durations when the wall clock is set, and count the time during which the machine sleeps.
///
/// Several stores, in several processes, may share the same data. Each is one *owner*, which has the rows
/// that it claimed until it finishes them, until their leases end, or until the owner is gone.
///
/// `OutboxStoreConformance` (in `ErrandConformance`) has every rule as a test. These hold at every instant:
/// - Of each lane at most one row is being attempted, and it was the first of those that are open (or block
///   the lane) when it was claimed; only a row that is retried by hand can come before it later.
/// - A row is delivered once; a delivered row has no content and no files any more.
public protocol OutboxStore: Sendable {
  /// Adds rows, all or none, in this order. A row whose id is there already is skipped, so adding is idempotent, unless
  /// the row says otherwise (`NewRow.ifKnown`). A row that replaces another keeps its sequence, if that was never claimed
  /// and is in the same lane. If not, it is added to the end of its lane, so that an attempt of the earlier row that has
  /// not ended yet is not taken for one of the newer.
  /// - Returns: The rows that were dropped to make room, their files and those of replaced rows, and the indices of the
  ///   rows that were there already.
  /// - Throws: `OutboxError.full` if there is no capacity; `.known` if a row's id is there, and may not be.
  func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped

  /// Claims rows to attempt: those of the highest priority first, and of these the oldest. Rows whose time is
  /// over expire, and leases that have passed, or whose owner is gone, end. Paused rows are left. Origins
  /// that are held, or have no capacity left, are passed over, however many rows they have.
  ///
  /// A row whose lease ended waits before its next attempt (`ClaimBounds.backoff`) if its request was being
  /// sent (`begin`); if not, it becomes what it was before the claim.
  /// - Parameter lease: How long the claim lasts if it is not renewed.
  func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim

  /// Notes that these rows are about to be sent: if their owner ends before they are finished, they count as
  /// attempted. The note has to survive the process, but not the machine. A store that cannot note it treats
  /// every claimed row as begun.
  ///
  /// A lease that has ended by the store's time is not held, even if no other owner has claimed its row yet: its
  /// row is not noted, and must not be sent.
  /// - Returns: The leases that are still held, in the same order.
  func begin(_ leases: [Lease]) async throws -> [Lease]

  /// Extends leases to this long from now.
  /// - Returns: The leases that were lost: another owner may have their rows.
  func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease]

  /// Records how attempts ended, and what they say about their origins. `delivered` counts even if the lease
  /// has ended, unless the row is over already; any other outcome counts only with its lease.
  /// - Returns: The result for each, in the same order.
  func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished]

  /// Makes rows due now whose attempts could not connect, and ends the holds of origins except those that a
  /// server asked for.
  /// - Returns: The number of rows.
  func rescheduleOffline() async throws -> Int

  /// Ends the holds of these origins; nil for all.
  func release(_ origins: [String]?) async throws

  /// Returns the rows with these ids, in their order; nil for one that is not known (any more).
  func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?]

  /// Returns a page of rows, in the order of enqueue. A page with fewer rows than `limit` is the last one.
  /// - Parameter sequence: Rows after this one are returned; 0 for the first page.
  func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) async throws -> [OutboxRow]

  /// Returns rows that are being attempted though their leases ended, or their owners were gone, at least this long
  /// ago: no owner has taken them over. The one that was claimed first is the first.
  /// - Parameter limit: The most that are returned.
  func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow]

  /// Returns the content of these rows; nil for one that has none (any more). Its files exist only as long as
  /// the row does.
  func contents(of ids: [OutboxID]) async throws -> [Data?]

  /// Makes rows due now that are stored, dead letters or expired. Dead letters and expired rows get their
  /// attempts back, do not expire any more, and take their old places in their lanes. Rows in other states
  /// are left. The holds of their origins end.
  ///
  /// - Parameter force: True to end the leases of rows that are being attempted, too, of any owner: their
  ///   attempts count as those of leases that have passed, and the rows are due now instead of after a backoff.
  /// - Returns: The rows as they are now.
  func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow]

  /// Drops rows that are stored, dead letters or expired. Rows that are being attempted are left.
  func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped

  /// Pauses or resumes claiming: all of it, or that of one lane. Attempts under way go on. The setting
  /// survives the process.
  func setPaused(_ isPaused: Bool, lane: String?) async throws

  func statistics() async throws -> OutboxStatistics

  /// Counts the rows of each lane that are stored, being attempted, or dead letters; those without a lane are
  /// counted together. The default reads all these rows.
  /// - Returns: The lanes, the one with the oldest row first.
  func laneStatistics() async throws -> [LaneStatistics]

  /// Forgets rows that were delivered, expired or dropped at least this long ago.
  /// - Returns: The files of these rows.
  func prune(olderThan age: Duration) async throws -> [String]

  /// Returns which of these files belong to a row.
  func used(_ files: [String]) async throws -> Set<String>

  /// From now on, calls `handler` when other owners have changed the data: a hint, on any thread. A change that a read
  /// after this call does not show is followed by a call.
  func onForeignChange(_ handler: @escaping @Sendable () -> Void)

  /// Gives all claimed rows back, and closes the store. Any later call fails with `OutboxError.closed`.
  func close() async
}

extension OutboxStore {
  /// Makes rows due now, and leaves those that are being attempted.
  package func retry(_ selection: OutboxSelection) async throws -> [OutboxRow] {
    try await retry(selection, force: false)
  }

  /// Returns the row with this id; nil if it is not known (any more).
  func row(_ id: OutboxID) async throws -> OutboxRow? { try await rows([id]).first ?? nil }
}

/// Rows that were dropped, and files that belong to no request any more.
public struct Dropped: Sendable, Hashable {
  public var rows: [OutboxRow]
  public var files: [String]
  /// The indices of the rows to add that were there already, in order.
  public var known: [Int]

  public init(rows: [OutboxRow] = [], files: [String] = [], known: [Int] = []) {
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
