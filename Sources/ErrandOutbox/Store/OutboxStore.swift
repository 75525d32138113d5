#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where an outbox keeps its requests. `SQLiteOutboxStore` is the one that comes with it; a fleet may share another.
///
/// Each method is one transaction: when it returns, what it did is durable, and when it throws, nothing happened. Only
/// what may be about very many rows (`hasten`, `retry`, `drop`, `prune`) may take several, so that nobody waits for long: if
/// one of them fails, those before it stay done. What a method reads is one state of all that is kept; a long `list` may be
/// several, one after the other, and skips no row that is open all the while. All may be called at once, from any task. Several stores, in several processes, may share what is kept: each is one *owner*,
/// which has the rows that it claimed until it finishes them, until their leases end, or until it is gone.
///
/// `OutboxStoreConformance` (in `ErrandTesting`) has every rule as a test. These hold at every instant:
/// - Of each lane at most one row is being tried, and it was the first of those that are open (or hold the lane) when it was
///   claimed; only what is tried again by hand can come before it later.
/// - A row is delivered once; what is delivered has no content and no files any more.
public protocol OutboxStore: Sendable {
  /// Adds rows, all or none, in this order.
  /// - Returns: What was dropped to make room, the files of that, and which rows were there already.
  /// - Throws: `OutboxError.full` if there is no room. An id that is there already is skipped: adding is idempotent.
  func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) async throws -> Dropped

  /// Takes what may be tried: the most important first, and of these the oldest. What is over its time expires, and
  /// leases that have ended, or whose owner is gone, are ended. What is paused is left. Origins that are held, or have no
  /// room, are passed over, however many rows they have.
  ///
  /// A row whose lease ended waits before it is tried again (`ClaimBounds.backoff`) if its request was on its way (`begin`);
  /// if not, it is as it was before it was claimed.
  /// - Parameter lease: How long the claim lasts if it is not renewed.
  func claim(_ bounds: ClaimBounds, for lease: Duration, at now: StoreTime) async throws -> Claim

  /// Notes that these are about to be sent: what of them has no end when their owner does counts as attempted. Has to outlive
  /// the process, but not the machine. A store that cannot tell takes all that was claimed for begun.
  func begin(_ leases: [Lease]) async throws

  /// Makes leases last for so long from now.
  /// - Returns: Those that had been lost: someone else may have them.
  func renew(_ leases: [Lease], for lease: Duration, at now: StoreTime) async throws -> [Lease]

  /// Records how tries ended, and what they told of their origins. A `delivered` counts even if its lease has ended, unless
  /// the row is over already; any other outcome counts only with its lease.
  /// - Returns: What became of each, in the same order.
  func finish(_ tries: [FinishedTry], at now: StoreTime) async throws -> [Finished]

  /// Makes what failed because the way was missing due now, and ends the holds of origins but those that a server asked for.
  /// - Returns: How many rows.
  func hasten(at now: StoreTime) async throws -> Int

  /// Ends the holds of these origins; nil for all.
  func release(_ origins: [String]?) async throws

  /// The rows with these ids, in their order; nil for what is not known (any more).
  func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?]

  /// A page of rows, in the order of enqueue.
  /// - Parameter sequence: Those after this one; 0 for the first page.
  func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) async throws -> [OutboxRow]

  /// The content of these rows; nil for what has none (any more). Its files are there only as long as the row is.
  func contents(of ids: [OutboxID]) async throws -> [Data?]

  /// Makes rows that are stored, set aside or expired due now. What was set aside or has expired gets its tries back, loses
  /// its end, and takes its old place in its lane. Rows in other states are left. The holds of their origins end.
  /// - Returns: What became of them.
  func retry(_ selection: OutboxSelection, at now: StoreTime) async throws -> [OutboxRow]

  /// Drops rows that are stored, set aside or expired. What is being tried is left.
  func drop(_ selection: OutboxSelection, reason: String, at now: StoreTime) async throws -> Dropped

  /// Stops or goes on with claiming: everything, or one lane. What is being tried goes on. Outlives the process.
  func setPaused(_ isPaused: Bool, lane: String?) async throws

  func statistics() async throws -> OutboxStatistics

  /// Forgets what was delivered, expired or dropped at or before `changed` (milliseconds since 1970).
  /// - Returns: The files of what had any.
  func prune(changedBefore changed: Int64) async throws -> [String]

  /// Which of these files belong to a row.
  func used(_ files: [String]) async throws -> Set<String>

  /// From now on, calls `handler` when others have changed what is kept: a hint, on any thread.
  func onForeignChange(_ handler: @escaping @Sendable () -> Void)

  /// Gives everything back that is claimed, and ends. Anything asked after it fails with `OutboxError.closed`.
  func close() async
}

/// Rows that were dropped, and files that belong to no request any more.
public struct Dropped: Sendable, Hashable {
  public var rows: [OutboxRow]
  public var files: [String]
  /// Of rows that were to be added, the places of those that were there already, in order.
  public var known: [Int]

  public init(rows: [OutboxRow] = [], files: [String] = [], known: [Int] = []) {
    self.rows = rows
    self.files = files
    self.known = known
  }
}
