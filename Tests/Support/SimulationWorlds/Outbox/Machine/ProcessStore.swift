import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The store of a process. Each operation takes time; the process may freeze or end before and after it, and
/// each change is recorded at the instant at which it is made.
final class ProcessStore: OutboxStore {
  private let store: SQLiteOutboxStore
  private let process: SimulatedProcess
  private let ledger: OutboxLedger
  private let machine: SimulatedMachine
  private let clock: VirtualClock
  private let random: Locked<SeededRandom>
  let defect: OutboxDefect?

  init(
    _ store: SQLiteOutboxStore, of process: SimulatedProcess, on machine: SimulatedMachine,
    _ ledger: OutboxLedger,
    _ clock: VirtualClock, _ random: SeededRandom, _ defect: OutboxDefect?
  ) {
    self.store = store
    self.process = process
    self.machine = machine
    self.ledger = ledger
    self.clock = clock
    self.random = Locked(random)
    self.defect = defect
  }

  private func perform<Value>(_ work: () async throws -> Value) async throws -> Value {
    try await pass()
    let result: Result<Value, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    try await pass()
    return try result.get()
  }

  private func pass() async throws {
    let wait = random.withLock { $0.once(in: 4) ? $0.milliseconds(0...20) : nil }
    if let wait { try? await clock.sleep(for: wait) }
    await defect?.delayStore()
    try await process.run()
  }

  /// Like `perform`, for the operations that a delivery needs.
  private func deliver<Value>(_ work: () async throws -> Value) async throws -> Value {
    try await perform {
      if machine.isStoreAway { throw OutboxError(.busy, "the store is unavailable") }
      return try await work()
    }
  }

  private func note(_ kind: RowStep.Kind, _ rows: [OutboxID], _ now: StoreTime? = nil) {
    for row in rows { ledger.add(kind, row, by: process.name, at: now) }
  }

  // MARK: OutboxStore

  func add(_ rows: [NewRow], within caps: OutboxCaps) async throws -> Dropped {
    try await perform {
      let known = try await store.rows(rows.map(\.id))
      let now = machine.time
      let dropped = try await store.add(defect?.spoil(rows) ?? rows, within: caps)
      note(.dropped, dropped.rows.map(\.id), now)
      let stored = try await store.rows(rows.map(\.id))
      for (index, row) in stored.enumerated() where row != nil && known[index] == nil {
        note(.added, [rows[index].id], now)
      }
      return dropped
    }
  }

  func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> Claim {
    try await deliver {
      if defect == .overlooksRows, random.withLock({ $0.once(in: 2) }) { return Claim() }
      let now = machine.time
      let claim = try await store.claim(bounds, for: lease)
      note(.recovered, claim.recovered.map(\.id), now)
      note(.expired, claim.expired.map(\.id), now)
      let isExhausted = { (row: OutboxRow) in bounds.maxAttempts.map { row.countedAttempts >= $0 } ?? false }
      note(.exhausted, claim.deadLettered.filter(isExhausted).map(\.id), now)
      note(.damaged, claim.deadLettered.filter { !isExhausted($0) }.map(\.id), now)
      note(.claimed(leaseEnd: now.leaseEnd(lease)), claim.rows.map(\.row.id), now)
      return claim
    }
  }

  func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease] {
    try await deliver {
      if defect == .sendsLate { return [] }
      let now = machine.time
      let lost = try await store.renew(leases, for: lease)
      note(.renewed(leaseEnd: now.leaseEnd(lease)), leases.filter { !lost.contains($0) }.map(\.id), now)
      return lost
    }
  }

  func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
    try await deliver {
      if defect == .failsToStore, random.withLock({ $0.once(in: 3) }) {
        throw OutboxError(.diskFull, "the disk is full")
      }
      let now = machine.time
      let results = try await store.finish(defect?.spoil(attempts) ?? attempts)
      for (attempt, result) in zip(attempts, results) where result.row != nil {
        note(RowStep.Kind(attempt.outcome), [attempt.lease.id], now)
      }
      return results
    }
  }

  func takePass(_ origin: String, _ limit: RateLimit) async throws -> RatePass {
    try await deliver {
      let now = machine.time
      let pass = defect == .hurries ? RatePass() : try await store.takePass(origin, limit)
      if pass.wait == .zero { ledger.add(GrantedPass(origin: origin, ticks: now.ticks, boot: now.boot)) }
      return pass
    }
  }

  func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) async throws -> Bool {
    try await deliver {
      if defect == .forgetsUploads { return true }
      return try await store.keep(upload, madeProgress: madeProgress, of: lease)
    }
  }

  func uploads(of ids: [OutboxID]) async throws -> [Data?] {
    try await deliver { try await store.uploads(of: ids) }
  }

  func begin(_ leases: [Lease]) async throws -> [Lease] {
    try await deliver { try await store.begin(leases) }
  }

  func release(_ origins: [String]?) async throws {
    try await perform { try await store.release(origins) }
  }

  func rescheduleOffline() async throws -> Int {
    try await perform {
      let count = try await store.rescheduleOffline()
      if count > 0 { ledger.rescheduleOffline(by: process.name) }
      return count
    }
  }

  func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
    try await perform {
      let rows = try await store.rows(ids)
      guard defect == .tellsEndsTooSoon else { return rows }
      return rows.map { row in
        var row = row
        if row?.state.isOpen == true { row?.state = .deadLettered }
        return row
      }
    }
  }

  func list(
    _ selection: OutboxSelection, after sequence: Int64, limit: Int
  ) async throws -> [OutboxRow] {
    try await perform { try await store.list(selection, after: sequence, limit: limit) }
  }

  func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow] {
    try await perform { try await store.abandoned(for: duration, limit: limit) }
  }

  func contents(of ids: [OutboxID]) async throws -> [Data?] {
    try await perform { try await store.contents(of: ids) }
  }

  func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow] {
    try await perform {
      let now = machine.time
      let rows = try await store.retry(selection, force: force)
      note(.retried, rows.map(\.id), now)
      return rows
    }
  }

  func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
    try await perform {
      let now = machine.time
      let dropped = try await store.drop(selection, reason: reason)
      note(.dropped, dropped.rows.map(\.id), now)
      return dropped
    }
  }

  func setPaused(_ isPaused: Bool, lane: String?) async throws {
    try await perform {
      if defect != .ignoresPauses { try await store.setPaused(isPaused, lane: lane) }
      ledger.setPaused(isPaused, lane)
    }
  }

  func statistics() async throws -> OutboxStatistics { try await perform { try await store.statistics() } }

  func dueSince() async throws -> Int64? { try await perform { try await store.dueSince() } }

  func prune(olderThan age: Duration) async throws -> [String] {
    try await perform {
      let before = try await store.list(.all, after: 0, limit: .max).map(\.id)
      let files = try await store.prune(olderThan: age)
      let left = Set(try await store.list(.all, after: 0, limit: .max).map(\.id))
      note(.pruned, before.filter { !left.contains($0) })
      return files
    }
  }

  func used(_ files: [String]) async throws -> Set<String> {
    try await perform { defect == .losesFiles ? [] : try await store.used(files) }
  }

  func onForeignChange(_ handler: @escaping @Sendable () -> Void) { store.onForeignChange(handler) }

  func close() async {
    do {
      try await perform {
        ledger.close(process.name)
        await store.close()
      }
    } catch {}
  }
}

extension StoreTime {
  fileprivate func leaseEnd(_ lease: Duration) -> Int64 { ticks + lease.milliseconds }
}

extension RowStep.Kind {
  init(_ outcome: FinishedAttempt.Outcome) {
    self =
      switch outcome {
      case .delivered: .delivered
      case .failed(_, let next, _, _): .failed(next: next)
      case .rejected: .rejected
      case .returned: .returned
      }
  }
}

extension Duration {
  /// The number of milliseconds, rounded up.
  var milliseconds: Int64 { Int64((self + .nanoseconds(999_999)).wholeMilliseconds) }
}
