#if Postgres
  import Foundation
  import PostgresCluster
  import Testing

  /// Claims that begin behind the last found row, because the rows before it are slow to scan.
  @Suite(.timeLimit(.minutes(1))) struct SlowClaimTests {
    /// Claims two requests, and returns their places.
    private let claim = """
      SELECT string_agg((r).seq::text, ',') FROM errand.claim(NULL, 1, 2, '{}', '{}', 100, 100, 3, 0, 0, 60000)
        WHERE what = 1;
      """

    /// A session with five requests, in which claims begin behind the second one until the given time.
    private func session(_ fleet: Fleet, until: String, _ statements: String) async throws -> [String] {
      try await fleet.migrate()
      let setting = "errand_of_\(fleet.schema).walk"
      let output = try await fleet.psql(
        """
        SELECT count(errand.enqueue('GET', 'https://example.com/' || n, id => n::text)) FROM generate_series(1, 5) n;
        SELECT set_config('\(setting)', format('{"slow": 2, "until": %s, "0": 2, "1": 2, "2": 2, "3": 2}', \(until)),
          false) IS NOT NULL;
        \(statements)
        """)
      return Array(output.split(separator: "\n").map(String.init).dropFirst(2))
    }

    @Test func `a claim begins behind the last one, and at the start if that finds too little`() async throws
    {
      let claims = try await session(try await Fleet(), until: "errand.wall() + 60000", claim + claim + claim)
      #expect(claims == ["3,4", "1,2", "5"])
    }

    @Test func `after a second a claim scans all rows`() async throws {
      let claims = try await session(try await Fleet(), until: "errand.wall()", claim + claim)
      #expect(claims == ["1,2", "3,4"])
    }

    @Test func `a claim that begins behind the last one leaves rows without attempts left`() async throws {
      let change = "UPDATE errand.requests SET counted = 3 WHERE seq = 3;"
      let claims = try await session(
        try await Fleet(), until: "errand.wall() + 60000", change + claim + claim)
      #expect(claims == ["4,5", "1,2"])
    }

    @Test func `rows that wait for their origin are not claimed`() async throws {
      let hold = """
        INSERT INTO errand.origins VALUES ('https://example.com:443', '', 0, 'a', errand.ticks() + 60000, 0);
        """
      let claims = try await session(
        try await Fleet(), until: "errand.wall() + 60000",
        hold + claim + "DELETE FROM errand.origins; " + claim)
      #expect(claims.filter { !$0.isEmpty } == ["1,2"])
    }

    @Test func `two successive slow claims are needed, and a fast one ends the effect`() async throws {
      let look =
        "SELECT coalesce((errand.walk() ->> 'until')::bigint > 0, false), errand.walk() ->> '2', errand.walk() ->> '3';"
      let slow = "SELECT errand.note_walk(errand.ticks(), '20 ms', ARRAY[1, 2]::bigint[], true) IS NULL;"
      let quick = "SELECT errand.note_walk(errand.ticks(), '1 ms', ARRAY[1, 2]::bigint[], true) IS NULL;"
      let over = "SELECT errand.note_walk(errand.ticks(), '20 ms', ARRAY[1, 2]::bigint[], false) IS NULL;"
      let looks = try await session(
        try await Fleet(), until: "0",
        quick + slow + look + slow + look + quick + look + slow + slow + over + look)
      #expect(looks.filter { $0.contains("|") } == ["f|2|5", "t|2|5", "f||", "f||"])
    }
  }
#endif
