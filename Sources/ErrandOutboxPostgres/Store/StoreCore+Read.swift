#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension StoreCore {
    func rows(_ ids: [OutboxID]) async throws -> [OutboxRow?] {
      guard !ids.isEmpty else { return [] }
      let answer = try await run(
        "SELECT \(RowColumns.of("e")) FROM errand.everything e WHERE e.id = ANY($1)",
        [.texts(Set(ids).map { StoredName($0.rawValue).key }.sorted())], isRepeatable: true)
      var found: [OutboxID: OutboxRow] = [:]
      for row in answer.rows({ RowColumns.row($0) }) {
        if let row, row.sequence > found[row.id]?.sequence ?? 0 { found[row.id] = row }
      }
      return ids.map { found[$0] }
    }

    func list(
      _ selection: OutboxSelection, after sequence: Int64, limit: Int
    ) async throws -> [OutboxRow] {
      var rows: [OutboxRow] = []
      // In pages, so that every statement and every result is short.
      while rows.count < limit {
        let wanted = min(limit - rows.count, PostgresOutboxStore.pageSize)
        let page = try await page(of: selection, after: rows.last?.sequence ?? sequence, limit: wanted)
        rows += page
        if page.count < wanted { break }
      }
      return rows
    }

    func page(
      of selection: OutboxSelection, after sequence: Int64, limit: Int
    ) async throws -> [OutboxRow] {
      guard limit > 0 else { return [] }
      var (conditions, values): ([String], [PostgresValue]) = (["e.seq > $1"], [.integer(sequence)])
      func add(_ condition: (String) -> String, _ value: PostgresValue) {
        values.append(value)
        conditions.append(condition("$\(values.count)"))
      }
      switch selection.lane {
      case .named(let lane): add({ "e.lane = \($0)" }, .text(StoredName(lane).key))
      case .none?: conditions.append("e.lane IS NULL")
      case nil: break
      }
      if let ids = selection.ids {
        add({ "e.id = ANY(\($0))" }, .texts(Set(ids).map { StoredName($0.rawValue).key }.sorted()))
      }
      let order = "ORDER BY e.seq LIMIT \(limit)"
      let condition = conditions.joined(separator: " AND ")
      guard let states = selection.states else {
        let sql = "SELECT \(RowColumns.of("e")) FROM errand.everything e WHERE \(condition) \(order)"
        return try await rows(sql, values)
      }
      // Each state is read separately, from its table. Otherwise the query would have to skip rows of other
      // states.
      let parts = states.sorted { $0.rawValue < $1.rawValue }.map { state in
        """
        (SELECT \(RowColumns.of("e")) FROM \(Self.table(of: state)) e
        WHERE \(condition) AND \(Self.isIn(state)) \(order))
        """
      }
      guard !parts.isEmpty else { return [] }
      return try await rows(
        "SELECT * FROM (\(parts.joined(separator: " UNION ALL "))) e \(order)", values)
    }

    private func rows(_ sql: String, _ values: [PostgresValue]) async throws -> [OutboxRow] {
      try await run(sql, values, isRepeatable: true).rows { RowColumns.row($0) }.compactMap { $0 }
    }

    private static func table(of state: OutboxState) -> String {
      switch state {
      case .stored, .attempting: "errand.requests"
      case .deadLettered: "errand.dead"
      case .delivered, .expired, .dropped: "errand.history"
      }
    }

    private static func isIn(_ state: OutboxState) -> String {
      switch state {
      case .deadLettered: "true"
      case .stored, .attempting: "e.state = \(state.rawValue)"
      case .delivered, .expired, .dropped:
        "e.state = \(state.rawValue) AND e.ended > (SELECT horizon FROM errand.state)"
      }
    }

    func abandoned(for duration: Duration, limit: Int) async throws -> [OutboxRow] {
      let answer = try await run(
        """
        SELECT \(RowColumns.of("q")) FROM errand.requests q LEFT JOIN errand.workers w ON w.id = q.owner
        WHERE q.state = 1 AND (q.lease_end <= coalesce(($1::bigint[])[1], errand.ticks()) - $2::bigint
          OR w.id IS NULL AND q.changed <= coalesce(($1::bigint[])[2], errand.wall()) - $2::bigint
          OR w.seen + w.lasting < errand.instant(errand.pulse($1)) - $2::bigint * interval '1 millisecond')
        ORDER BY q.changed, q.seq LIMIT \(limit)
        """, [time, .integer(duration.storedMilliseconds)], isRepeatable: true)
      return answer.rows { RowColumns.row($0) }.compactMap { $0 }
    }

    func contents(of ids: [OutboxID]) async throws -> [Data?] {
      guard !ids.isEmpty else { return [] }
      let keys = ids.map { StoredName($0.rawValue).key }
      let answer = try await run(
        "SELECT e.id, e.content FROM errand.everything e WHERE e.id = ANY($1)",
        [.texts(Set(ids).map { StoredName($0.rawValue).key }.sorted())], isRepeatable: true)
      var found: [ExactBytes: Data] = [:]
      for row in answer.rows({ $0 }) {
        if let key = row.text(0), let content = row.data(1) { found[ExactBytes(key)] = content }
      }
      return keys.map { found[ExactBytes($0)] }
    }

    func used(_ files: [String]) async throws -> Set<String> {
      guard !files.isEmpty else { return [] }
      let answer = try await run(
        "SELECT name FROM errand.files WHERE name = ANY($1)", [.texts(files)], isRepeatable: true)
      return Set(answer.rows { $0.text(0) ?? "" })
    }

    func statistics() async throws -> OutboxStatistics {
      let answer = try await run(
        "SELECT what, name, a, b, c, label, reason FROM errand.statistics()", [], isRepeatable: true)
      var statistics = OutboxStatistics()
      for row in answer.rows({ $0 }) {
        switch row.integer(0) {
        case 0:
          guard let state = OutboxState(rawValue: Int(row.integer(2))) else { continue }
          statistics.counts[state] = Int(row.integer(3))
          if state.isOpen || state == .deadLettered { statistics.bytes += row.integer(4) }
          statistics.bytesInAll += row.integer(4)
        case 1:
          statistics.oldest = row.optionalInteger(2)
          statistics.nextDue = row.optionalInteger(3)
          statistics.isHeld = row.integer(4) & 1 != 0
          statistics.isPaused = row.integer(4) & 2 != 0
        case 2: statistics.pausedLanes.append(StoredName.name(row.text(1) ?? "", long: nil))
        default:
          statistics.heldOrigins.append(
            OriginHold(
              origin: StoredName.name(row.text(1) ?? "", long: nil), label: row.data(5) ?? Data(),
              kind: OriginHold.Kind(rawValue: Int(row.integer(2))) ?? .trouble, reason: row.text(6) ?? "",
              until: row.integer(3)))
        }
      }
      statistics.pausedLanes.sort()
      statistics.heldOrigins.sort { $0.origin < $1.origin }
      return statistics
    }

    /// Returns since when the request is due that has been due longest; nil if no request is due.
    func dueSince() async throws -> Int64? {
      // The first request of a lane that no worker has looked at since it arrived has no place yet.
      let answer = try await run(
        """
        WITH now AS (SELECT coalesce(($1::bigint[])[2], errand.wall()) AS wall)
        SELECT min(greatest(d.created, d.due_wall)) FROM (
          (SELECT created, due_wall FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
            ORDER BY priority DESC, seq LIMIT 1000)
          UNION ALL
          (SELECT created, due_wall FROM errand.requests WHERE state = 0 AND place = 1 AND due > 0
            ORDER BY due LIMIT 1)
          UNION ALL
          (SELECT r.created, r.due_wall FROM errand.lanes l JOIN errand.requests r ON r.seq = l.head
            WHERE l.paused AND r.state = 0 LIMIT 1000)
          UNION ALL
          (SELECT r.created, r.due_wall FROM (SELECT DISTINCT lane FROM errand.arrivals LIMIT 1000) a
            LEFT JOIN errand.lanes l ON l.lane = a.lane
            CROSS JOIN LATERAL (SELECT state, created, due_wall FROM errand.requests q WHERE q.lane = a.lane
              ORDER BY q.seq LIMIT 1) r
            WHERE l.head IS NULL AND r.state = 0)
        ) d, now WHERE d.due_wall <= now.wall
        """, [time], isRepeatable: true)
      return answer.rows { $0.optionalInteger(0) }.first ?? nil
    }

    /// Returns the numbers of open requests and dead letters of each lane. The lane with the oldest row comes
    /// first.
    func laneStatistics() async throws -> [LaneStatistics] {
      let answer = try await run(
        """
        WITH counted AS MATERIALIZED (
          SELECT lane, state, count(*) AS number, min(seq) AS first FROM errand.requests GROUP BY lane, state
          UNION ALL
          SELECT lane, 3::smallint, count(*), min(seq) FROM errand.dead GROUP BY lane)
        SELECT c.lane, c.state, c.number, r.created, r.long_lane FROM counted c
        CROSS JOIN LATERAL (
          SELECT created, long_lane FROM errand.requests WHERE seq = c.first AND c.state < 3
          UNION ALL SELECT created, long_lane FROM errand.dead WHERE seq = c.first AND c.state = 3) r
        ORDER BY c.first
        """, [], isRepeatable: true)
      var lanes: [LaneStatistics] = []
      var places: [ExactBytes?: Int] = [:]
      for row in answer.rows({ $0 }) {
        guard let state = OutboxState(rawValue: Int(row.integer(1))) else { continue }
        let name = row.text(0)
        let key = name.map { ExactBytes($0) }
        if let place = places[key] {
          lanes[place].counts[state] = Int(row.integer(2))
          continue
        }
        places[key] = lanes.count
        lanes.append(
          LaneStatistics(
            lane: name.map { StoredName.name($0, long: row.text(4)) },
            counts: [state: Int(row.integer(2))], oldest: Date(milliseconds: row.integer(3))))
      }
      return lanes
    }
  }
#endif
