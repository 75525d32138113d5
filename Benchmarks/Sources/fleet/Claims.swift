import BenchmarkSupport
import ErrandOutbox
import ErrandOutboxPostgres
import Foundation

/// Measures claims from few and from very many open rows.
struct Claims {
  private static let few = 10_000
  private static let batch = 100

  let store: String
  let rows: Int
  let rounds: Int

  func report() async throws {
    let store = try await PostgresOutboxStore(store)
    let rowStore = RowStore(store)
    try await rowStore.add(Self.few)
    let small = try await cost(store)
    try await rowStore.add(rows - Self.few)
    let large = try await cost(store)
    _ = try await store.drop(.all, reason: "measured")
    await store.close()
    print("  \("claim of \(Self.batch) of \(Self.few) rows".left(36))\(small.fixed(2).right(9)) ms")
    print(
      "  \("claim of \(Self.batch) of \(rows) rows".left(36))\(large.fixed(2).right(9)) ms  "
        + "\((large / small).fixed(2)) times as long (at most 3)")
  }

  /// Returns the median time of a claim in milliseconds. The claimed rows are returned.
  private func cost(_ store: PostgresOutboxStore) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let begin = ContinuousClock.now
      let claim = try await store.claim(Self.batch, for: .seconds(60))
      times.append((ContinuousClock.now - begin).inSeconds * 1000)
      guard claim.rows.count == Self.batch else {
        throw Arguments.Wrong(description: "claimed \(claim.rows.count) rows, not \(Self.batch)")
      }
      _ = try await store.finish(claim.rows.map { FinishedAttempt(lease: $0.lease, outcome: .returned) })
    }
    return Statistics.median(times)
  }
}

/// Adds rows to a store, and claims and delivers them.
struct RowStore: Sendable {
  private static let batch = 500
  private let store: PostgresOutboxStore
  private let caps: OutboxCaps

  init(_ store: PostgresOutboxStore) {
    self.store = store
    var caps = OutboxCaps()
    caps.bytes = nil
    self.caps = caps
  }

  func add(_ count: Int) async throws {
    var left = count
    while left > 0 {
      let rows = (0..<min(Self.batch, left)).map { _ in Self.row }
      _ = try await store.add(rows, within: caps)
      left -= rows.count
    }
  }

  /// Claims and delivers up to 100 rows.
  /// - Returns: The number of rows.
  func pass() async throws -> Int {
    let claim = try await store.claim(100, for: .seconds(60))
    _ = try await store.begin(claim.rows.map(\.lease))
    let response = Data(repeating: 120, count: 50)
    _ = try await store.finish(
      claim.rows.map { FinishedAttempt(lease: $0.lease, outcome: .delivered(response: response)) })
    return claim.rows.count
  }

  private static var row: NewRow {
    NewRow(
      id: OutboxID(rawValue: UUID().uuidString), lane: nil, holdsLane: false, priority: 0, expiry: nil,
      summary: Data(repeating: 120, count: 120), content: Data(repeating: 121, count: 300), files: [],
      size: 300,
      origin: "http://127.0.0.1:9")
  }
}
