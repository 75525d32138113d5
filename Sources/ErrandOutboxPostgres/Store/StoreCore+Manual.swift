#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension StoreCore {
    func rescheduleOffline() async throws -> Int {
      var count = 0
      while true {
        let some = Int(
          try await run(
            "SELECT errand.reschedule($1::integer, $2::integer)",
            [.integer(owner), .integer(Int64(OriginHold.Kind.busy.rawValue))]
          ).first?.integer(0) ?? 0)
        count += some
        if some < PostgresOutboxStore.pageSize { return count }
      }
    }

    func release(_ origins: [String]?) async throws {
      _ = try await run(
        "SELECT errand.release($1::integer, $2)",
        [.integer(owner), .optional(origins?.map { StoredName($0).key })], isRepeatable: true)
    }

    func setPaused(_ isPaused: Bool, lane: String?) async throws {
      let name = lane.map(StoredName.init)
      _ = try await run(
        "SELECT errand.pause($1::integer, $2, $3, $4)",
        [.integer(owner), .bool(isPaused), .optional(name?.key), .optional(name?.long)], isRepeatable: true)
    }

    func retry(_ selection: OutboxSelection, force: Bool) async throws -> [OutboxRow] {
      var rows: [OutboxRow] = []
      let function = force ? "errand.retry_by_force" : "errand.retry"
      try await forEach(selection.retried(force: force)) { page in
        let answer = try await run(
          "SELECT \(RowColumns.of("q")) FROM \(function)($1, $2::integer, $3) q",
          [time, .integer(owner), .integers(page.map(\.sequence))])
        rows += answer.rows { RowColumns.row($0) }.compactMap { $0 }
      }
      return rows
    }

    func drop(_ selection: OutboxSelection, reason: String) async throws -> Dropped {
      var dropped = Dropped()
      try await forEach(selection.limited(to: [.stored, .deadLettered, .expired])) { page in
        let answer = try await run(
          "SELECT file, \(RowColumns.ofValue("r")) FROM errand.drop_these($1, $2::integer, $3, $4)",
          [time, .integer(owner), .integers(page.map(\.sequence)), .text(Self.cleaned(reason))])
        var rows: [OutboxRow] = []
        for answered in answer.rows({ $0 }) {
          if let row = RowColumns.row(answered, 1) { rows.append(row) }
          if let file = answered.text(0) { dropped.files.append(file) }
        }
        dropped.rows += rows.sorted { $0.sequence < $1.sequence }
      }
      return dropped
    }

    /// Calls `body` for each page of a selection, in the order of enqueue. Rows that were added after the
    /// start are left out.
    private func forEach(
      _ selection: OutboxSelection, _ body: ([OutboxRow]) async throws -> Void
    ) async throws {
      let end = try await run("SELECT last_value FROM errand.places", []).first?.integer(0) ?? .max
      var last: Int64 = 0
      while true {
        let page = try await page(of: selection, after: last, limit: PostgresOutboxStore.pageSize)
        let meant = page.prefix { $0.sequence <= end }
        if !meant.isEmpty { try await body(Array(meant)) }
        guard let next = page.last?.sequence, meant.count == page.count,
          page.count == PostgresOutboxStore.pageSize
        else { return }
        last = next
      }
    }

    func prune(olderThan age: Duration) async throws -> [String] {
      var files: [String] = []
      while true {
        let answer = try await run(
          "SELECT * FROM errand.forget($2::integer, coalesce(($1::bigint[])[2], errand.wall()) - $3)",
          [time, .integer(owner), .integer(Int64(clamping: age.wholeMilliseconds))])
        let names = answer.rows { $0.text(0) }
        files += names.compactMap { $0 }
        if !names.contains(nil) { break }
      }
      try await removeOldUploads()
      try await removeFullRates()
      // If a day's table is being read, it is left for the next time.
      _ = try? await run("SELECT errand.drop_days()", [])
      return files
    }
  }
#endif
