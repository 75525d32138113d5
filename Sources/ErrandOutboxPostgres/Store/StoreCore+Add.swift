#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The rows that one caller adds.
  struct AddCall: Sendable {
    let rows: [NewRow]
    let caps: OutboxCaps
  }

  extension StoreCore {
    private static let add = """
      SELECT what, place, file, \(RowColumns.ofValue("r")) FROM errand.add(
        $1, $2::integer, $3, $4, $5::integer, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
      """

    /// Adds the rows of several callers, in one transaction if that is possible.
    func add(_ calls: [AddCall]) async -> [Result<Dropped, any Error>] {
      guard calls.count > 1 else { return await [addAlone(calls[0])] }
      if calls.allSatisfy({ $0.caps == calls[0].caps }) {
        do {
          if let together = try await add(calls.flatMap(\.rows), calls[0].caps, isAlone: false) {
            return shared(together, among: calls)
          }
        } catch {
          // What one of them lacks must not fail the others, unless the server is away for all.
          guard (error as? OutboxError)?.code == .failed else { return calls.map { _ in .failure(error) } }
        }
      }
      var results: [Result<Dropped, any Error>] = []
      for call in calls { results.append(await addAlone(call)) }
      return results
    }

    private func addAlone(_ call: AddCall) async -> Result<Dropped, any Error> {
      do {
        return .success(try await add(call.rows, call.caps, isAlone: true) ?? Dropped())
      } catch {
        return .failure(error)
      }
    }

    /// Gives each caller the numbers of its own rows that were known.
    private func shared(_ together: Dropped, among calls: [AddCall]) -> [Result<Dropped, any Error>] {
      var first = 0
      return calls.map { call in
        let range = first..<(first + call.rows.count)
        first = range.upperBound
        return .success(
          Dropped(known: together.known.filter(range.contains).map { $0 - range.lowerBound }))
      }
    }

    /// - Returns: Nil if the rows do not fit in at once, and are not those of one caller.
    private func add(_ rows: [NewRow], _ caps: OutboxCaps, isAlone: Bool) async throws -> Dropped? {
      let query = query(Self.add, parameters(rows, caps, isAlone: isAlone), isRepeatable: true)
      let (outcome, isRepeat) = await link.outcomeAndRepeat(of: query)
      switch outcome {
      case .failure(let failure) where failure.state == "ER001": throw Self.full(failure.message, caps)
      case .failure(let failure): throw failure.error(link)
      case .success(let answer): return Self.dropped(answer, isRepeat: isRepeat)
      }
    }

    private func parameters(_ rows: [NewRow], _ caps: OutboxCaps, isAlone: Bool) -> [PostgresValue] {
      let (ids, lanes) = (rows.map { StoredName($0.id.rawValue) }, rows.map { $0.lane.map(StoredName.init) })
      let rule: Int64 =
        switch caps.whenFull {
        case .refuse: 0
        case .dropOldest: 1
        case .dropLeastImportant: 2
        }
      let files = rows.enumerated().flatMap { row in row.element.files.map { ($0, Int64(row.offset + 1)) } }
      return [
        time, .integer(owner), .optional(caps.count.map { Int64($0) }), .optional(caps.bytes), .integer(rule),
        .bool(isAlone), .texts(ids.map(\.key)), .texts(ids.map(\.long)), .texts(lanes.map { $0?.key }),
        .texts(lanes.map { $0?.long }), .integers(rows.map { $0.holdsLane ? 1 : 0 }),
        .integers(rows.map { Int64($0.priority) }), .integers(rows.map(\.expiry?.lifetime)),
        .integers(rows.map(\.expiry?.end)), .blobs(rows.map(\.summary)), .blobs(rows.map(\.content)),
        .integers(rows.map(\.size)), .texts(rows.map { StoredName($0.origin).key }), .texts(files.map(\.0)),
        .integers(files.map(\.1)),
      ]
    }

    private static func dropped(_ answer: PostgresAnswer, isRepeat: Bool) -> Dropped? {
      var (dropped, fits) = (Dropped(), true)
      for row in answer.rows({ $0 }) {
        switch row.integer(0) {
        case 1: if let row = RowColumns.row(row, 3) { dropped.rows.append(row) }
        case 2: dropped.known.append(Int(row.integer(1)))
        case 3: if let file = row.text(2) { dropped.files.append(file) }
        default: fits = false
        }
      }
      // They may be there because of this very call, whose first answer was lost. Their files must stay then.
      if isRepeat { dropped.known = [] }
      return fits ? dropped : nil
    }

    private static func full(_ numbers: String, _ caps: OutboxCaps) -> OutboxError {
      let parts = numbers.split(separator: "|").map(String.init)
      let limits = [caps.count.map { "\($0) requests" }, caps.bytes.map { "\($0) bytes" }]
      return OutboxError(
        .full,
        "the outbox is full: it holds \(parts.first ?? "?") requests of \(parts.last ?? "?") bytes, and at most "
          + limits.compactMap { $0 }.joined(separator: " and ")
          + "; wait until some are delivered, drop dead letters, or raise its caps")
    }
  }

  extension NewRow.Expiry {
    fileprivate var lifetime: Int64? {
      if case .after(let lifetime) = self { lifetime.storedMilliseconds } else { nil }
    }

    fileprivate var end: Int64? { if case .at(let end) = self { end } else { nil } }
  }
#endif
