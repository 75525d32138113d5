#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Testing

  /// Machines that store, make room, renew and finish concurrently.
  @Suite(.timeLimit(.minutes(1))) struct ManyStoresTests {
    private func deadlocks(_ fleet: Fleet) async throws -> String {
      try await fleet.psql("SELECT deadlocks FROM pg_stat_database WHERE datname = '\(fleet.database)'")
    }

    @Test(arguments: [8, 40, 400])
    func `caps apply to all machines together`(_ most: Int) async throws {
      let fleet = try await Fleet()
      var stores: [PostgresOutboxStore] = []
      for _ in 0..<8 { stores.append(try await fleet.store()) }
      var caps = OutboxCaps()
      caps.count = most
      let accepted = await withTaskGroup(of: Int.self) { group in
        for (index, store) in stores.enumerated() {
          for number in 0..<max(2, most / 4) {
            group.addTask { [caps] in
              let row = NewRow.plain("\(index)/\(number)")
              return (try? await store.add([row], within: caps)) == nil ? 0 : 1
            }
          }
        }
        return await group.reduce(0, +)
      }
      #expect(accepted == most)
      #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "\(most)")
      for store in stores { await store.close() }
    }

    @Test func `room is made while others finish, without a deadlock`() async throws {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      let (adding, working) = (try await fleet.store(), try await fleet.store())
      var caps = OutboxCaps()
      (caps.count, caps.whenFull) = (12, .dropOldest)
      let isOver = Locked(false)
      async let work: Void = {
        while !isOver.withLock({ $0 }) {
          let claim = try await working.claim(6, for: .seconds(30))
          let ends = claim.rows.map {
            FinishedAttempt(lease: $0.lease, outcome: .delivered(response: Data()))
          }
          _ = try await working.finish(ends)
        }
      }()
      for number in 0..<300 {
        let row = NewRow.plain("\(number)", lane: "lane \(number % 4)")
        _ = try await adding.add([row], within: caps)
      }
      isOver.withLock { $0 = true }
      try await work
      #expect(try await deadlocks(fleet) == "0")
      for store in [adding, working] { await store.close() }
    }

    @Test func `leases are renewed, begun and finished in any order without a deadlock`() async throws {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      let store = try await fleet.store { $0.connections = 4 }
      for round in 0..<40 {
        let rows = (0..<64).map { NewRow.plain("\(round)/\($0)") }
        _ = try await store.add(rows, within: OutboxCaps())
        let leases = try await store.claim(64, for: .seconds(30)).rows.map(\.lease)
        async let renewed = store.renew(leases.reversed(), for: .seconds(30))
        async let begun = store.begin(leases.shuffled())
        // One kind of change after another, and in a different order within each kind.
        let ends = leases.shuffled().enumerated().map { index, lease in
          FinishedAttempt(
            lease: lease,
            outcome: index % 2 == 0 ? .delivered(response: Data()) : .rejected(reason: "a", response: nil))
        }
        _ = try await (renewed, begun, store.finish(ends))
      }
      #expect(try await deadlocks(fleet) == "0")
      await store.close()
    }
  }

  extension NewRow {
    /// A request whose contents do not matter.
    fileprivate static func plain(_ id: String, lane: String? = nil) -> NewRow {
      NewRow(
        id: OutboxID(rawValue: id), lane: lane, holdsLane: false, priority: 0, expiry: nil,
        summary: Data("a".utf8),
        content: Data("b".utf8), files: [], size: 1)
    }
  }
#endif
