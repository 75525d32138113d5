#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import PostgresCluster
  import Testing

  /// Requests that replace others, while other calls and workers run.
  @Suite(.timeLimit(.minutes(1))) struct ReplacedRequestsTests {
    private func item(_ id: String, _ text: String, lane: String? = nil) -> OutboxItem {
      OutboxItem(
        .post("https://example.com/", .text(text)), lane: lane, id: OutboxID(rawValue: id), ifKnown: .replace)
    }

    @Test func `a call that replaces requests loses nothing, even if other calls have no room`() async throws
    {
      let fleet = try await Fleet()
      let outbox = try await fleet.outbox {
        $0.delivers = false
        $0.caps.count = 4
      }
      for number in 0..<4 { try await outbox.enqueue(item("\(number)", "old")) }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask { _ = try? await outbox.enqueue(item("\(number % 4)", "new")) }
          group.addTask { _ = try? await outbox.enqueue(.post("https://example.com/")) }
        }
      }
      #expect(
        try await fleet.psql("SELECT string_agg(id, ',' ORDER BY id) FROM errand.requests") == "0,1,2,3")
      #expect(try await fleet.psql("SELECT state, count FROM errand.totals() WHERE count <> 0") == "0|4")
      await outbox.close()
    }

    @Test func `no request overtakes the one that takes over the first place of their lane`() async throws {
      let fleet = try await Fleet()
      let outbox = try await fleet.outbox { $0.delivers = false }
      try await outbox.enqueue([item("a", "old", lane: "l"), item("b", "old", lane: "l")])
      // A worker has looked at the lane.
      try await fleet.psql("SELECT errand.admit()")
      let places = "SELECT string_agg(id || place, ' ' ORDER BY seq) FROM errand.requests"
      #expect(try await fleet.psql(places) == "a1 b0")
      try await outbox.enqueue(item("a", "new", lane: "l"))
      #expect(try await fleet.psql(places) == "a1 b0")
      await outbox.close()
    }

    @Test func `a known id is refused, and the other requests of its call are not stored`() async throws {
      let fleet = try await Fleet()
      let outbox = try await fleet.outbox { $0.delivers = false }
      try await outbox.enqueue(item("a", "old"))
      var refused = item("a", "new")
      refused.ifKnown = .refuse
      let error = await #expect(throws: OutboxError.self) {
        try await outbox.enqueue([item("b", "new"), refused])
      }
      #expect(error?.code == .known && error?.message.contains("id a already: it is stored") == true)
      #expect(try await fleet.psql("SELECT string_agg(id, ',') FROM errand.requests") == "a")
      await outbox.close()
    }
  }
#endif
