#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension StoreCore {
    private static let finish = """
      SELECT place, files, \(RowColumns.ofValue("r")) FROM errand.finish(
        $1, $2::integer, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """

    func finish(_ attempts: [FinishedAttempt]) async throws -> [Finished] {
      // The news come first, because they count even if the outcome does not.
      try await hear(attempts.compactMap(\.news))
      var isRepeat = false
      while true {
        let values = [time, .integer(owner), .bool(isRepeat)] + Self.parameters(attempts)
        switch await link.outcome(of: query(Self.finish, values)) {
        case .success(let answer):
          state.withLock { state in for attempt in attempts { state.claimed.remove(attempt.lease.number) } }
          let finished = Self.finished(attempts.count, answer)
          let ended = zip(attempts, finished).filter { $0.hasUpload && $1.row?.state == .delivered }
          // Those that are left are removed later, by `prune`.
          try? await removeUploads(of: ended.map(\.0.lease))
          return finished
        case .failure(let failure) where failure.kind == .lost && !isRepeat: isRepeat = true
        case .failure(let failure): throw failure.error(link)
        }
      }
    }

    private static func parameters(_ attempts: [FinishedAttempt]) -> [PostgresValue] {
      var ends: [Int64] = []
      var (reasons, responses): ([String?], [Data?]) = ([], [])
      var (waits, counting, offline): ([Int64], [Int64], [Int64]) = ([], [], [])
      for attempt in attempts {
        var (reason, response, wait, counts, wasOffline): (String?, Data?, Duration, Bool, Bool) =
          (nil, nil, .zero, true, false)
        switch attempt.outcome {
        case .delivered(let given):
          ends.append(0)
          response = given
        case .failed(let why, let next, let isCounted, let isOffline):
          ends.append(1)
          (reason, wait, counts, wasOffline) = (why, next, isCounted, isOffline)
        case .rejected(let why, let given):
          ends.append(2)
          (reason, response) = (why, given)
        case .returned: ends.append(3)
        }
        reasons.append(reason.map(cleaned))
        responses.append(response)
        waits.append(wait.storedMilliseconds)
        counting.append(counts ? 1 : 0)
        offline.append(wasOffline ? 1 : 0)
      }
      let origins: [String?] = attempts.map { $0.origin.map { StoredName($0).key } }
      return parameters(attempts.map(\.lease)) + [
        .integers(ends), .texts(reasons), .integers(waits), .integers(counting), .integers(offline),
        .blobs(responses), origins.contains { $0 != nil } ? .texts(origins) : .null(.texts),
      ]
    }

    /// Returns a text to be shown, without zero bytes, which PostgreSQL does not accept.
    static func cleaned(_ text: String) -> String {
      text.utf8.contains(0)
        ? text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "␀") : text
    }

    private static func finished(_ count: Int, _ answer: PostgresAnswer) -> [Finished] {
      var finished = [Finished](repeating: Finished(row: nil), count: count)
      for answered in answer.rows({ $0 }) {
        let place = Int(answered.integer(0))
        guard finished.indices.contains(place) else { continue }
        finished[place] = Finished(row: RowColumns.row(answered, 2), files: answered.texts(1))
      }
      return finished
    }

    /// Records the news of origins.
    private func hear(_ news: [OriginNews]) async throws {
      guard !news.isEmpty else { return }
      var (kinds, reasons, waits): ([Int64], [String], [Int64]) = ([], [], [])
      for one in news {
        switch one.change {
        case .hold(let kind, let reason, let length):
          kinds.append(Int64(kind.rawValue))
          reasons.append(Self.cleaned(reason))
          waits.append(length.storedMilliseconds)
        case .release:
          kinds.append(0)
          reasons.append("")
          waits.append(0)
        }
      }
      _ = try await run(
        "SELECT errand.hear($1, $2::integer, $3, $4, $5, $6, $7)",
        [
          time, .integer(owner), .texts(news.map { StoredName($0.origin).key }), .blobs(news.map(\.label)),
          .integers(kinds), .texts(reasons), .integers(waits),
        ], isRepeatable: true)
    }
  }
#endif
