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
    /// When the call fails, on the link's timeline; nil for no deadline.
    let deadline: Duration?
    /// True if an earlier statement may have added the rows.
    var mayBeAdded = false
  }

  /// The outcome of one statement for a caller.
  enum AddStep: Sendable {
    case added(Dropped)
    /// The rows have to be added separately from those of other callers.
    case alone(mayBeAdded: Bool)
  }

  extension StoreCore {
    /// How long a statement waits for locks of other transactions. An application's transaction that stays
    /// open may hold an id. The statement is then repeated, and other calls proceed meanwhile.
    private static let patience = Duration.milliseconds(500)

    /// The limit for locks is set before the function is called, because the call depends on it.
    private static let add = """
      SELECT what, place, file, \(RowColumns.ofValue("r"))
      FROM (SELECT set_config('lock_timeout', $21, true) IS NOT NULL AS is_set) s, LATERAL errand.add(
        $1, $2::integer, $3, $4, $5::integer, $6 AND is_set, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
        $18, $19, $20, $22, $23)
      """

    /// Adds the rows of several callers, in one transaction if that is possible.
    func add(_ calls: [AddCall]) async -> [Result<AddStep, any Error>] {
      guard calls.count > 1 else { return [await addAlone(calls[0])] }
      // A call that replaces rows deletes them first. They must not stay deleted if the calls together exceed
      // the caps.
      let replaces = calls.contains { $0.rows.contains { $0.ifKnown != .ignore } }
      guard !replaces, calls.allSatisfy({ $0.caps == calls[0].caps }) else {
        return calls.map { _ in .success(.alone(mayBeAdded: false)) }
      }
      let end = calls.compactMap(\.deadline).min()
      let (outcome, isRepeat) = await outcome(
        of: calls.flatMap(\.rows), calls[0].caps, isAlone: false, by: end)
      switch outcome {
      case .success(let answer):
        if let together = Self.dropped(answer, isRepeat: isRepeat) { return shared(together, among: calls) }
        // The calls together exceed the caps.
        return calls.map { _ in .success(.alone(mayBeAdded: false)) }
      case .failure(let failure):
        let error = failure.error(link)
        return calls.map { call in
          goesOn(failure, error, call)
            ? .success(.alone(mayBeAdded: failure.mayBeDone)) : .failure(error)
        }
      }
    }

    /// Returns true if a call may be repeated alone after it failed together with others. A fault of one call
    /// must not fail the others, and neither may the deadline of the first.
    private func goesOn(_ failure: PostgresFailure, _ error: OutboxError, _ call: AddCall) -> Bool {
      if let deadline = call.deadline, deadline <= link.now { return false }
      switch failure.kind {
      case .refused: return error.code == .failed || failure.isLockTimeout
      case .unreachable: return failure.passes
      case .lost, .late: return true
      }
    }

    /// Adds the rows of one caller.
    func addAlone(_ call: AddCall) async -> Result<AddStep, any Error> {
      let (outcome, isRepeat) = await outcome(of: call.rows, call.caps, isAlone: true, by: call.deadline)
      switch outcome {
      case .success(let answer):
        let dropped = Self.dropped(answer, isRepeat: isRepeat || call.mayBeAdded)
        return .success(.added(dropped ?? Dropped()))
      case .failure(let failure) where failure.state == "ER001":
        return .failure(Self.full(failure.message, call.caps))
      case .failure(let failure) where failure.state == "ER002":
        return .failure(
          Self.known(failure.message, call.rows, mayBeOwn: isRepeat || call.mayBeAdded))
      case .failure(let failure) where failure.isLockTimeout && call.deadline.map { $0 > link.now } ?? true:
        return .success(.alone(mayBeAdded: isRepeat || call.mayBeAdded))
      case .failure(let failure): return .failure(failure.error(link))
      }
    }

    /// Gives each caller the indices of its rows that were known.
    private func shared(_ together: Dropped, among calls: [AddCall]) -> [Result<AddStep, any Error>] {
      var first = 0
      return calls.map { call in
        let range = first..<(first + call.rows.count)
        first = range.upperBound
        return .success(
          .added(Dropped(known: together.known.filter(range.contains).map { $0 - range.lowerBound })))
      }
    }

    private func outcome(
      of rows: [NewRow], _ caps: OutboxCaps, isAlone: Bool, by deadline: Duration?
    ) async -> (outcome: Result<PostgresAnswer, PostgresFailure>, isRepeat: Bool) {
      let query = query(Self.add, parameters(rows, caps, isAlone: isAlone), isRepeatable: true)
      return await link.outcomeAndRepeat(of: query, by: deadline)
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
        .integers(files.map(\.1)), .text("\(Self.patience.wholeMilliseconds)ms"),
        rows.contains { $0.ifKnown != .ignore } ? .integers(rows.map(\.ifKnown.mode)) : .null(.integers),
        rows.contains { $0.notBefore != nil } ? .integers(rows.map(\.notBefore)) : .null(.integers),
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
      // An earlier run of this statement, whose result was lost, may have stored these rows. Their files must
      // stay then.
      if isRepeat { dropped.known = [] }
      return fits ? dropped : nil
    }

    /// Returns the error for an id that the outbox knows already.
    /// - Parameter mayBeOwn: True if an earlier statement may have added the stored request.
    private static func known(_ numbers: String, _ rows: [NewRow], mayBeOwn: Bool) -> OutboxError {
      let parts = numbers.split(separator: "|").compactMap { Int($0) }
      guard parts.count == 2, rows.indices.contains(parts[0]), let state = OutboxState(rawValue: parts[1])
      else {
        return OutboxError(
          .known, "the outbox knows a request with one of these ids already; use another id")
      }
      let row = rows[parts[0]]
      if mayBeOwn {
        return OutboxError(
          .unconfirmed,
          "request \(row.id) is \(state); this call may have stored it before its result was lost; look up the request"
        )
      }
      return .known(row.id, state, isReplacing: row.ifKnown == .replace)
    }

    private static func full(_ numbers: String, _ caps: OutboxCaps) -> OutboxError {
      let parts = numbers.split(separator: "|").map(String.init)
      let limits = [caps.count.map { "\($0) requests" }, caps.bytes.map { "\($0) bytes" }]
      return OutboxError(
        .full,
        "the outbox is full: it holds \(parts.first ?? "?") requests of \(parts.last ?? "?") bytes, and its cap is "
          + limits.compactMap { $0 }.joined(separator: " and ")
          + "; wait until some are delivered, drop dead letters, or raise its caps")
    }
  }

  extension IfKnown {
    /// The rule as a number for `errand.add`.
    fileprivate var mode: Int64 {
      switch self {
      case .ignore: 0
      case .replace: 1
      case .refuse: 2
      }
    }
  }

  extension NewRow.Expiry {
    fileprivate var lifetime: Int64? {
      if case .after(let lifetime) = self { lifetime.storedMilliseconds } else { nil }
    }

    fileprivate var end: Int64? { if case .at(let end) = self { end } else { nil } }
  }
#endif
