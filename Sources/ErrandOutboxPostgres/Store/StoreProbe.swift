#if Postgres
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Adds rows to a store, and claims and delivers them: for the benchmarks, which are a separate package.
  @_spi(Benchmarks)
  public struct StoreProbe: Sendable {
    private static let batch = 500
    private let store: PostgresOutboxStore

    public init(_ store: PostgresOutboxStore) { self.store = store }

    /// Adds rows of one origin, without a lane.
    public func add(_ count: Int) async throws {
      var caps = OutboxCaps()
      caps.bytes = nil
      var left = count
      while left > 0 {
        let rows = (0..<min(Self.batch, left)).map { _ in Self.row }
        _ = try await store.add(rows, within: caps)
        left -= rows.count
      }
    }

    /// Claims up to `limit` rows.
    /// - Returns: The number of rows, and a function that gives them back.
    public func claim(_ limit: Int) async throws -> (count: Int, giveBack: @Sendable () async throws -> Void)
    {
      let claim = try await store.claim(ClaimBounds(limit), for: .seconds(60))
      return (
        claim.rows.count,
        { [store] in
          _ = try await store.finish(claim.rows.map { FinishedAttempt(lease: $0.lease, outcome: .returned) })
        }
      )
    }

    /// Claims and delivers up to 100 rows.
    /// - Returns: The number of rows.
    public func pass() async throws -> Int {
      let claim = try await store.claim(ClaimBounds(100), for: .seconds(60))
      _ = try await store.begin(claim.rows.map(\.lease))
      let response = Data(repeating: 120, count: 50)
      _ = try await store.finish(
        claim.rows.map { FinishedAttempt(lease: $0.lease, outcome: .delivered(response: response)) })
      return claim.rows.count
    }

    /// Drops all rows.
    public func clear() async throws { _ = try await store.drop(.all, reason: "measured") }

    private static var row: NewRow {
      NewRow(
        id: OutboxID(rawValue: UUID().uuidString), lane: nil, holdsLane: false, priority: 0, expiry: nil,
        summary: Data(repeating: 120, count: 120), content: Data(repeating: 121, count: 300), files: [],
        size: 300,
        origin: "http://127.0.0.1:9")
    }
  }
#endif
