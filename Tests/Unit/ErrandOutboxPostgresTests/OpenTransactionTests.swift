#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import Foundation
  import PostgresCluster
  import Testing

  /// A transaction of an application that stays open and has enqueued an id.
  @Suite(.timeLimit(.minutes(1))) struct OpenTransactionTests {
    private let isHeld = "wait_event = 'PgSleep' AND query LIKE '%the open transaction%'"

    private func enqueue(_ id: String, _ outbox: Outbox) async throws -> Receipt {
      let item = OutboxItem(.get("https://example.com/"), id: OutboxID(rawValue: id))
      return try await outbox.enqueue([item])[0]
    }

    /// Runs work while an open transaction has enqueued the id `held`, and then rolls it back.
    private func whileOpen(_ fleet: Fleet, _ work: () async throws -> Void) async throws {
      let holder = Task {
        try await fleet.psql(
          """
          BEGIN; SELECT errand.enqueue('GET', 'https://example.com/', id => 'held');
          SELECT pg_sleep(40) -- the open transaction
          """)
      }
      try await fleet.waitForActivity(isHeld, count: 1)
      let result: Result<Void, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      try? await fleet.endActivity(isHeld)
      _ = await holder.result
      try result.get()
    }

    @Test func `an id in an open transaction fails the call that enqueues it, and no other call`()
      async throws
    {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      let store = try await fleet.store { ($0.connections, $0.deadline) = (4, .seconds(10)) }
      let outbox = try await fleet.outbox(store) { $0.delivers = false }
      try await whileOpen(fleet) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<200 where number != 100 {
            group.addTask { _ = try await enqueue("\(number)", outbox) }
          }
          group.addTask {
            let error = await #expect(throws: OutboxError.self) {
              try await enqueue("held", outbox)
            }
            #expect(error?.code == .busy || error?.code == .unconfirmed, "\(String(describing: error))")
          }
          try await group.waitForAll()
        }
        #expect(try await fleet.psql("SELECT count(*) FROM errand.requests") == "199")
      }
      #expect(try await enqueue("held", outbox).isNew)
      await outbox.close()
    }

    @Test func `a call that waits for an open transaction finishes when that ends`() async throws {
      let fleet = try await Fleet(database: try await PostgresCluster.shared().makeDatabase())
      let outbox = try await fleet.outbox(fleet.store { $0.deadline = nil }) { $0.delivers = false }
      var waiting: Task<Bool, any Error>?
      try await whileOpen(fleet) {
        waiting = Task { try await enqueue("held", outbox).isNew }
        try await fleet.waitForActivity("wait_event_type = 'Lock' AND query LIKE '%.add(%'", count: 1)
        // It lets other calls pass meanwhile.
        #expect(try await enqueue("other", outbox).isNew)
      }
      #expect(try await waiting?.value == true)
      await outbox.close()
    }
  }
#endif
