import ErrandCore
import Foundation
import TestSupport

@testable import ErrandOutbox

/// A store with one fault, as a wrapper around another store.
final class OddStore: OutboxStore {
  enum Fault: Sendable {
    /// Lookups return nothing for any id.
    case losesLookups
    /// `add` reports indices that no row has.
    case knowsTooMuch
    case claimsTwice
    /// This number of calls of `begin` throw.
    case cannotBegin(Int)
    /// The first `begin` runs this before it begins, or before it returns.
    case isLateToBegin(@Sendable () async throws -> Void)
    case isLateAfterBegin(@Sendable () async throws -> Void)
    /// The first `finish` is executed, and throws nevertheless.
    case losesAReply
    /// The first upload is not kept, as if another owner had the row.
    case losesAnUpload
    /// Each request for a token runs this.
    case notesTokens(@Sendable () -> Void)
    /// These calls return only when the store is closed, because its server is unavailable.
    case isAway(in: Call)
  }

  enum Call: Sendable, CaseIterable { case claim, finish, used }

  private let base: any OutboxStore
  private let fault: Fault
  private let count = Locked(0)
  private let waiting = Locked((isClosed: false, calls: [CheckedContinuation<Void, Never>]()))

  init(_ base: any OutboxStore, _ fault: Fault) { (self.base, self.fault) = (base, fault) }

  /// Returns true for the first calls.
  private func isAmongFirst(_ most: Int) -> Bool {
    count.withLock { count in
      count += 1
      return count <= most
    }
  }

  private func check(_ call: Call) async throws {
    guard case .isAway(let away) = fault, away == call else { return }
    await withCheckedContinuation { continuation in
      let isClosed = waiting.withLock { waiting in
        if !waiting.isClosed { waiting.calls.append(continuation) }
        return waiting.isClosed
      }
      if isClosed { continuation.resume() }
    }
    throw OutboxError(.closed, "closed")
  }

  /// Waits until a call waits for the store's end.
  func waitForCall() async throws {
    try await waitUntil { waiting.withLock { !$0.calls.isEmpty } }
  }

  func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped {
    var dropped = try await base.add(rows, within: caps)
    if case .knowsTooMuch = fault { dropped.known += [-1, 7] }
    return dropped
  }

  func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim {
    try await check(.claim)
    var claim = try await base.claim(bounds, for: lease)
    if case .claimsTwice = fault { claim.rows += claim.rows }
    return claim
  }

  func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass {
    if case .notesTokens(let note) = fault { note() }
    return try await base.takePass(origin, limit)
  }

  func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool {
    if case .losesAnUpload = fault, isAmongFirst(1) { return false }
    return try await base.keep(upload, madeProgress: madeProgress, of: lease)
  }

  func uploads(of ids: [OutboxID]) async throws -> [Data?] { try await base.uploads(of: ids) }

  func begin(_ leases: [Lease]) async throws -> [Lease] {
    if case .cannotBegin(let most) = fault, isAmongFirst(most) { throw OutboxError(.failed, "unlucky") }
    if case .isLateToBegin(let wait) = fault, isAmongFirst(1) { try await wait() }
    let held = try await base.begin(leases)
    if case .isLateAfterBegin(let wait) = fault, isAmongFirst(1) { try await wait() }
    return held
  }

  func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
    try await check(.finish)
    let finished = try await base.finish(attempts)
    if case .losesAReply = fault, isAmongFirst(1) { throw OutboxError(.failed, "unlucky") }
    return finished
  }

  func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
    if case .losesLookups = fault { return [] }
    return try await base.rows(ids)
  }

  func contents(of ids: [OutboxID]) async throws -> [Data?] {
    if case .losesLookups = fault { return [] }
    return try await base.contents(of: ids)
  }

  func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease] {
    try await base.renew(leases, for: lease)
  }

  func rescheduleOffline() async throws -> Int { try await base.rescheduleOffline() }
  func release(_ origins: [String]?) async throws { try await base.release(origins) }

  func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) async throws -> [OutboxRow] {
    try await base.list(selection, after: sequence, limit: limit)
  }

  func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow] {
    try await base.abandoned(for: duration, limit: limit)
  }

  func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow] {
    try await base.retry(selection, force: force)
  }

  func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
    try await base.drop(selection, reason: reason)
  }

  func setPaused(_ isPaused: Bool, lane: String?) async throws {
    try await base.setPaused(isPaused, lane: lane)
  }

  func statistics() async throws -> OutboxStatistics { try await base.statistics() }
  func dueSince() async throws -> Int64? { try await base.dueSince() }
  func prune(olderThan age: Duration) async throws -> [String] { try await base.prune(olderThan: age) }
  func used(_ files: [String]) async throws -> Set<String> {
    try await check(.used)
    return try await base.used(files)
  }

  func onForeignChange(_ handler: @escaping @Sendable () -> Void) { base.onForeignChange(handler) }

  func close() async {
    let calls = waiting.withLock { waiting in
      defer { waiting = (true, []) }
      return waiting.calls
    }
    for call in calls { call.resume() }
    await base.close()
  }
}
