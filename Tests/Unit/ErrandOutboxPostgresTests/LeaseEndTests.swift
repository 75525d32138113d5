#if Postgres
  import ErrandOutbox
  import ErrandOutboxPostgres
  import Foundation
  import TestSupport
  import Testing

  @Suite struct LeaseEndTests {
    /// A worker has found expired leases, and is delayed before it ends them; meanwhile another worker ends
    /// them.
    @Test func `leases that two workers find expired are ended once`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      try await fleet.psql(
        """
        SELECT errand.enqueue('POST', 'http://a.test/') FROM generate_series(1, 3);
        SELECT errand.claim(NULL, 7, 10, '{}', '{}', 10, 10, NULL, 0, 0, 0);
        CREATE TABLE errand.gate(is_open boolean);
        CREATE FUNCTION errand.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          WHILE current_setting('application_name') = 'late' AND NOT EXISTS (SELECT FROM errand.gate) LOOP
            PERFORM pg_sleep(0.01);
          END LOOP;
          RETURN NULL;
        END $$;
        CREATE TRIGGER gate BEFORE UPDATE ON errand.requests EXECUTE FUNCTION errand.wait_at_gate();
        """)
      async let late = fleet.psql("SET application_name = 'late'; \(Self.recover(by: 8))")
      let isAtGate =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'late' AND wait_event = 'PgSleep'"
      try await waitUntil { try await fleet.psql(isAtGate) != "0" }
      // The late worker has locked them.
      #expect(try await fleet.psql(Self.recover(by: 9)) == "0")
      try await fleet.psql("INSERT INTO errand.gate VALUES (true)")
      #expect(try await late == "3")
      #expect(try await fleet.psql("SELECT state, count FROM errand.totals() WHERE count <> 0") == "0|3")
    }

    @Test func `a worker that begins to send a row that it holds sends a heartbeat`() async throws {
      let fleet = try await Fleet()
      let (one, two) = (try await fleet.store(), try await fleet.store())
      try await fleet.psql("SELECT errand.enqueue('POST', 'http://a.test/') FROM generate_series(1, 2)")
      let lease = try await one.claim(1, for: .seconds(600)).rows.map(\.lease)
      let silence = "UPDATE errand.workers SET seen = seen - interval '1 hour'"
      try await fleet.psql(silence)
      #expect(try await one.begin(lease) == lease)
      // By a worker that has listened for a long time.
      let recovered = try await fleet.psql(
        """
        SELECT count(*) FROM errand.claim(ARRAY[errand.ticks(), NULL, 1000000], 9, 0, '{}', '{}', 9, 9, NULL, 0, 0, 1)
          WHERE what = 3
        """)
      #expect(recovered == "0")
      // Another worker cannot renew its lease.
      #expect(try await two.renew(lease, for: .seconds(600)) == lease)
      #expect(try await one.renew(lease, for: .seconds(600)).isEmpty)
      // After another worker has ended the lease, none of its rows may be sent.
      try await fleet.psql("DELETE FROM errand.workers")
      #expect(try await two.claim(9, for: .seconds(600)).recovered.map(\.id) == lease.map(\.id))
      #expect(try await one.begin(lease).isEmpty)
      for store in [one, two] { await store.close() }
    }

    /// One of two requests is freed before it was sent.
    @Test func `an attempt that was freed by force counts if its request was being sent`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let attempts = try await fleet.psql(
        """
        SELECT errand.enqueue('POST', 'http://a.test/', lane => 'l' || n) FROM generate_series(1, 2) n;
        SELECT errand.claim('{NULL,NULL}', 7, 10, '{}', '{}', 10, 10, NULL, 0, 0, 0);
        UPDATE errand.requests SET begun = true WHERE seq = 1;
        SELECT errand.retry_by_force('{NULL,NULL}', 8, '{1,2}');
        SELECT string_agg(format('%s %s %s', state, attempts, reason), ';' ORDER BY seq) FROM errand.requests;
        """)
      let reason = "its last attempt has no known end: its process is gone, or was silent for too long"
      #expect(attempts.hasSuffix("0 1 \(reason);0 0"))
      #expect(try await fleet.psql("SELECT state, count FROM errand.totals() WHERE count <> 0") == "0|2")
    }

    @Test func `the next claim is due when the first lease of any worker ends`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      func next(_ worker: Int) async throws -> String {
        try await fleet.psql(
          "SELECT has_lost, next_end FROM errand.leases('{5000,NULL,1000000}', 5000, \(worker))")
      }
      #expect(try await next(7) == "|")
      try await fleet.psql(
        """
        SELECT errand.enqueue('POST', 'http://a.test/') FROM generate_series(1, 6);
        SELECT errand.arrive('{5000}', n, 'w', '8', 1000 * n) FROM generate_series(7, 8) n;
        UPDATE errand.requests SET state = 1, owner = 7 + seq % 2, lease_end = 6000 + 100 * seq;
        """)
      // The worker's own leases count until their ends, and the other one's also until its absence.
      #expect(try await next(7) == "f|6100")
      #expect(try await next(8) == "f|6100")
      try await fleet.psql("UPDATE errand.requests SET lease_end = 20000 WHERE owner = 8")
      #expect(try await next(7) == "f|6200")
      #expect(try await next(8) == "f|6200")
      try await fleet.psql("UPDATE errand.requests SET lease_end = 20000 WHERE owner = 7")
      #expect(try await next(7) == "f|13001")
      #expect(try await next(8) == "f|12001")
      // A worker that is not known has no lease any more.
      #expect(try await next(9) == "f|12001")
      try await fleet.psql("DELETE FROM errand.workers WHERE id = 8")
      #expect(try await next(7) == "t|5000")
    }

    /// A session that was frozen runs the heartbeat of a worker that has a new connection by now.
    @Test func `a heartbeat that arrives late does not make its worker look silent`() async throws {
      let fleet = try await Fleet()
      try await fleet.migrate()
      let seen = try await fleet.psql(
        """
        SELECT FROM errand.arrive('{5000}', 7, 'w', '8', 30000);
        SELECT FROM errand.beat('{50000}', 7, false);
        SELECT FROM errand.beat('{12000}', 7, false);
        SELECT extract(epoch FROM seen)::integer FROM errand.workers WHERE id = 7;
        """)
      #expect(seen == "50")
    }

    private static func recover(by worker: Int) -> String {
      "SELECT count(*) FROM errand.recover(NULL, errand.ticks(), errand.wall(), \(worker), 0, 0)"
    }
  }
#endif
