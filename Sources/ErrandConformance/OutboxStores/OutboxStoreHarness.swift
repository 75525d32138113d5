import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The harness of one case, with stores on one place and a time that only the case advances.
final class OutboxStoreHarness: ConformanceHarness {
  private let place: any OutboxStoreConformance.Place
  private let stores = Locked<[any OutboxStore]>([])
  private let clocks = OutboxStoreConformance.Clocks()

  init(_ place: any OutboxStoreConformance.Place) { self.place = place }

  /// Skips a case about a restart of the machine if the stores may be on several machines.
  func needsOneMachine() throws {
    if !place.isOneMachine { throw ConformanceSkip(reason: "the stores may be on several machines") }
  }

  // MARK: Owners

  /// Opens another store, with a new owner.
  func open() async throws -> any OutboxStore {
    let store = try await place.open(clocks)
    stores.withLock { $0.append(store) }
    return store
  }

  /// Ends a store as if its process had died.
  func abandon(_ store: any OutboxStore) async throws { try await place.abandon(store) }

  func end() async {
    for store in stores.withLock({ $0 }) { await store.close() }
  }

  // MARK: Time

  /// The time of the wall clock in milliseconds since 1970.
  var wall: Int64 { clocks.date.milliseconds }

  func advance(_ duration: Duration) { clocks.move { $0.advance(duration) } }

  /// Changes the wall clock by a duration but not the uptime, as a user does.
  func setWall(by duration: Duration) { clocks.move { $0.date += duration.seconds } }

  /// Restarts the machine after it was off for a duration.
  func restart(after duration: Duration) {
    clocks.move {
      $0.date += duration.seconds
      $0.uptime = .seconds(5)
      $0.starts += 1
    }
  }

  // MARK: Operations

  func new(
    _ id: String, lane: String? = nil, holds: Bool = false, priority: Int = 0, lifetime: Duration? = nil,
    files: [String] = [], size: Int64? = nil, origin: String = ""
  ) -> NewRow {
    NewRow(
      id: OutboxID(rawValue: id), lane: lane, holdsLane: holds, priority: priority,
      expiry: lifetime.map { .after($0) },
      summary: Data("summary of \(id)".utf8), content: Self.content(id), files: files,
      size: size ?? Int64(Self.content(id).count), origin: origin)
  }

  static func content(_ id: String) -> Data { Data("content of \(id)".utf8) }

  @discardableResult
  func add(_ store: any OutboxStore, _ rows: NewRow..., within caps: OutboxCaps = OutboxCaps()) async throws
    -> Dropped
  {
    try await store.add(rows, within: caps)
  }

  /// Claims rows, checks their contents, and begins their attempts.
  func claim(_ store: any OutboxStore, _ limit: Int = 100, for lease: Duration = .seconds(60)) async throws
    -> Claim
  {
    let claim = try await store.claim(limit, for: lease)
    for claimed in claim.rows {
      try equal(claimed.content, Self.content(claimed.row.id.rawValue), "the content of \(claimed.row.id)")
      try equal(claimed.row.state, .attempting, "the state of a claimed row")
      try equal(claimed.lease.id, claimed.row.id, "the row of the lease")
    }
    try equal(
      try await store.begin(claim.rows.map(\.lease)), claim.rows.map(\.lease), "the leases that may be sent")
    return claim
  }

  /// Claims rows and returns their ids.
  func claimed(_ store: any OutboxStore, _ limit: Int = 100, for lease: Duration = .seconds(60)) async throws
    -> [String]
  {
    try await claim(store, limit, for: lease).rows.map(\.row.id.rawValue)
  }

  /// Claims rows, and repeats the claim if the store reports that other owners were claiming at the same time,
  /// because more rows may be available soon.
  func claimedWhileContended(_ store: any OutboxStore, _ limit: Int) async throws -> [String] {
    while true {
      let claim = try await claim(store, limit)
      let isContended = claim.rows.isEmpty && claim.next.map { $0 <= .milliseconds(50) } ?? false
      if !isContended { return claim.rows.map(\.row.id.rawValue) }
      await Task.yield()
    }
  }

  /// Claims one row, which must have this id.
  func take(_ store: any OutboxStore, _ id: String, for lease: Duration = .seconds(60)) async throws -> Lease
  {
    let claim = try await claim(store, 1, for: lease)
    try equal(claim.rows.map(\.row.id.rawValue), [id], "the claimed rows")
    guard let lease = claim.rows.first?.lease else { throw ConformanceFailure("no row was claimed") }
    return lease
  }

  @discardableResult
  func finish(_ store: any OutboxStore, _ lease: Lease, _ outcome: FinishedAttempt.Outcome) async throws
    -> Finished
  {
    let finished = try await store.finish([FinishedAttempt(lease: lease, outcome: outcome)])
    try equal(finished.count, 1, "the outcomes of one attempt")
    return finished[0]
  }

  func row(_ store: any OutboxStore, _ id: String) async throws -> OutboxRow {
    guard let row = try await store.rows([OutboxID(rawValue: id)])[0] else {
      throw ConformanceFailure("\(id) is not known")
    }
    return row
  }

  func state(_ store: any OutboxStore, _ id: String) async throws -> OutboxState {
    try await row(store, id).state
  }

  /// Returns all rows.
  func all(_ store: any OutboxStore) async throws -> [OutboxRow] {
    try await store.list(.all, after: 0, limit: .max)
  }

  // MARK: Assertions

  @discardableResult
  func fails(_ code: OutboxError.Code, _ body: () async throws -> Void) async throws -> OutboxError {
    do {
      try await body()
    } catch let error as OutboxError {
      try equal(error.code, code, "the code of \"\(error)\"")
      return error
    }
    throw ConformanceFailure("no error was thrown, expected \(code)")
  }

  /// Checks the invariants of all rows through each open store.
  func checkAll() async throws {
    for store in stores.withLock({ $0 }) {
      do {
        let audit = OutboxStoreAudit(try await all(store))
        try audit.check(try await store.statistics())
        try audit.check(try await store.laneStatistics())
      } catch let error as OutboxError where error.code == .closed {
        continue
      }
    }
  }
}
