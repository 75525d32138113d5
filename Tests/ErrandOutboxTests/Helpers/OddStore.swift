import ErrandCore
import Foundation

@testable import ErrandOutbox

/// A store with one fault, on top of another store.
final class OddStore: OutboxStore {
  enum Fault: Sendable {
    /// Lookups return nothing for any id.
    case losesLookups
    /// `add` reports indices that no row has.
    case knowsTooMuch
    case claimsTwice
    /// So many calls of `begin` throw.
    case cannotBegin(Int)
    /// The first `finish` is done, and throws.
    case losesAReply
  }

  private let base: any OutboxStore
  private let fault: Fault
  private let count = Locked(0)

  init(_ base: any OutboxStore, _ fault: Fault) { (self.base, self.fault) = (base, fault) }

  /// Returns true for the first calls.
  private func isAmongFirst(_ most: Int) -> Bool {
    count.withLock { count in
      count += 1
      return count <= most
    }
  }

  func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped {
    var dropped = try await base.add(rows, within: caps)
    if case .knowsTooMuch = fault { dropped.known += [-1, 7] }
    return dropped
  }

  func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim {
    var claim = try await base.claim(bounds, for: lease)
    if case .claimsTwice = fault { claim.rows += claim.rows }
    return claim
  }

  func begin(_ leases: [Lease]) async throws {
    if case .cannotBegin(let most) = fault, isAmongFirst(most) { throw OutboxError(.failed, "unlucky") }
    try await base.begin(leases)
  }

  func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
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

  func retry(_ selection: OutboxSelection) async throws -> [OutboxRow] { try await base.retry(selection) }

  func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
    try await base.drop(selection, reason: reason)
  }

  func setPaused(_ isPaused: Bool, lane: String?) async throws {
    try await base.setPaused(isPaused, lane: lane)
  }

  func statistics() async throws -> OutboxStatistics { try await base.statistics() }
  func prune(olderThan age: Duration) async throws -> [String] { try await base.prune(olderThan: age) }
  func used(_ files: [String]) async throws -> Set<String> { try await base.used(files) }
  func onForeignChange(_ handler: @escaping @Sendable () -> Void) { base.onForeignChange(handler) }
  func close() async { await base.close() }
}
