#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  /// The server's clock is set by hours, because another machine took over or it was restored.
  @Suite(
    .timeLimit(.minutes(1)),
    .enabled("SKIPPED: libfaketime is not installed (scripts/install test)") { PostgresCluster.canSetClock })
  struct ClockStepTests {
    private static let claimByTheDead = """
      SELECT errand.arrive(NULL, 77, 'dead', '1', 2000);
      SELECT count(*) FROM errand.claim(NULL, 77, 1, '{}', '{}', 9, 9, NULL, 0, 0, 3600000) WHERE what = 1;
      """

    private func store(_ fleet: Fleet) async throws -> PostgresOutboxStore {
      try await fleet.store { $0.absence = .seconds(2) }
    }

    private func enqueue(_ id: String, _ fleet: Fleet) async throws {
      try await fleet.psql("SELECT errand.enqueue('POST', 'http://a.test/', id => '\(id)')")
    }

    /// Waits until a worker's clock has confirmed the server's clock after the dead worker's last heartbeat.
    private func waitForConfirmation(_ fleet: Fleet) async throws {
      let isConfirmed = """
        SELECT c.confirmed > extract(epoch FROM w.seen) * 1000 FROM errand.clock c, errand.workers w WHERE w.id = 77
        """
      try await waitUntil { try await fleet.psql(isConfirmed) == "t" }
    }

    @Test(arguments: [Duration.seconds(-7200), .seconds(10_800)])
    func `a dead worker loses its rows when the clock is set, and a live one loses none`(by change: Duration)
      async throws
    {
      let cluster = try await PostgresCluster(hasOwnClock: true)
      let fleet = try await Fleet(cluster)
      let one = try await store(fleet)
      try await enqueue("held", fleet)
      let held = try await one.claim(9, for: .seconds(3600)).rows.map(\.lease)
      let two = try await store(fleet)
      let blob = try await one.blobs.put([BlobSource(.bytes(Data("a".utf8)), of: OutboxID(rawValue: "held"))])
      try await enqueue("left", fleet)
      #expect(try await fleet.psql(Self.claimByTheDead).hasSuffix("1"))
      try await waitForConfirmation(fleet)

      try await cluster.setClock(by: change)
      let late = try await store(fleet)
      var recovered: [String] = []
      try await waitUntil {
        for store in [two, late] {
          recovered += try await store.claim(9, for: .seconds(3600)).recovered.map(\.id.rawValue)
        }
        return !recovered.isEmpty
      }
      // By now each live worker has sent several heartbeats since the clock was set.
      #expect(recovered == ["left"])
      #expect(try await late.claim(9, for: .seconds(3600)).recovered.isEmpty)
      #expect(try await one.begin(held) == held)
      #expect(try await two.blobs.sweep { _ in [] }.isEmpty)
      withExtendedLifetime(blob) {}
      let alive = try await late.workers().filter(\.isAlive).map(\.id)
      #expect(alive.count == 3 && !alive.contains(77))
      for store in [one, two, late] { await store.close() }
      try await cluster.stop(.immediate)
    }

    @Test func `a new worker finds the rows of a dead one, even if the clock was set back`() async throws {
      let cluster = try await PostgresCluster(hasOwnClock: true)
      let fleet = try await Fleet(cluster)
      let before = try await store(fleet)
      try await enqueue("left", fleet)
      #expect(try await fleet.psql(Self.claimByTheDead).hasSuffix("1"))
      try await waitForConfirmation(fleet)
      await before.close()

      try await cluster.setClock(by: .seconds(-7200))
      let after = try await store(fleet)
      var recovered: [String] = []
      try await waitUntil {
        recovered = try await after.claim(9, for: .seconds(3600)).recovered.map(\.id.rawValue)
        return !recovered.isEmpty
      }
      #expect(recovered == ["left"])
      await after.close()
      try await cluster.stop(.immediate)
    }

    /// Other workers that start after that would take its rows.
    @Test func `a worker that has just started corrects a clock that is set afterwards`() async throws {
      let cluster = try await PostgresCluster(hasOwnClock: true)
      let fleet = try await Fleet(cluster)
      let store = try await fleet.store { $0.absence = .seconds(8) }
      try await cluster.setClock(by: .seconds(10_800))
      try await waitUntil { try await fleet.psql("SELECT drift FROM errand.clock") != "0" }
      #expect(try await fleet.psql("SELECT abs(drift + 10800000) < 1000 FROM errand.clock") == "t")
      await store.close()
      try await cluster.stop(.immediate)
    }

    @Test func `a worker that has just started sweeps nothing that another holds`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      // The clock is set forward by three hours while a process is about to store a request with this body.
      try await fleet.psql(
        """
        INSERT INTO errand.blobs(key, name, size, held_until, data)
          VALUES ('held', 'digest.held', 1, errand.instant(errand.ticks()) + interval '10 minutes', 'a');
        UPDATE errand.clock SET confirmed = errand.ticks();
        UPDATE errand.clock SET drift = drift + 10800000;
        """)
      let store = try await fleet.store()
      #expect(try await store.blobs.sweep { _ in [] }.isEmpty)
      try await fleet.psql("UPDATE errand.clock SET confirmed = errand.ticks()")
      #expect(try await store.blobs.sweep { _ in [] } == ["digest.held"])
      await store.close()
    }

    @Test func `a worker whose clock stood still does not set the fleet's ticks back`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let drift = try await fleet.psql(
        """
        UPDATE errand.clock SET confirmed = errand.ticks();
        SELECT errand.set_clock(0, errand.ticks() - 5000); SELECT drift FROM errand.clock;
        SELECT errand.set_clock(7, errand.ticks() + 5000); SELECT drift FROM errand.clock;
        SELECT errand.set_clock(0, errand.ticks() + 5000); SELECT drift BETWEEN 4900 AND 5000 FROM errand.clock;
        """)
      #expect(drift.split(whereSeparator: \.isNewline) == ["0", "0", "t"])
    }

    /// The worker may have started right after the clock was set forward, before a live worker has corrected
    /// that.
    @Test func `a worker that has just started takes no rows from others`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      try await enqueue("held", fleet)
      #expect(try await fleet.psql(Self.claimByTheDead).hasSuffix("1"))
      func claim(following: String) async throws -> String {
        try await fleet.psql(
          """
          SELECT what, number FROM errand.claim(ARRAY[errand.ticks() + 7200000, NULL, \(following)], 8, 9, '{}', '{}',
            9, 9, NULL, 0, 0, 1000) WHERE what = 3
          """)
      }
      #expect(try await claim(following: "0") == "")
      #expect(try await claim(following: "999") == "")
      #expect(try await claim(following: "1000") == "3|0")
    }
  }
#endif
