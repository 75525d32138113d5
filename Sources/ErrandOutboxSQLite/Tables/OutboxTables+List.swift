import ErrandOutbox

extension OutboxTables {
  /// A part of a selection that one index returns in the order of enqueue.
  private struct Strand {
    var index = ""
    var condition: String
    var values: [SQLValue] = []
  }

  func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) throws -> [OutboxRow] {
    guard limit > 0 else { return [] }
    if let ids = selection.ids { return try list(ids, selection, after: sequence, limit: limit) }
    var rows: [OutboxRow] = []
    for strand in try strands(selection) {
      let sql = """
        SELECT \(Self.columns) FROM requests \(strand.index) WHERE \(strand.condition) AND seq > ?
        ORDER BY seq LIMIT ?
        """
      rows += try database.all(
        sql: sql, strand.values + [.integer(sequence), .integer(limit)], row)
    }
    if selection.lane == nil, let states = selection.states {
      rows += try finished(states.filter(\.isOver), after: sequence, limit: limit)
    }
    rows.sort { $0.sequence < $1.sequence }
    return Array(rows.prefix(limit))
  }

  /// Returns finished rows, although no index has them in the order of enqueue. Where many of them are
  /// neighbours, a page is found among the next rows. Otherwise the index of their ends finds the rows, and
  /// only the rows of the page are read.
  private func finished(
    _ states: Set<OutboxState>, after sequence: Int64, limit: Int
  ) throws -> [OutboxRow] {
    guard !states.isEmpty else { return [] }
    let list = states.map { "\($0.rawValue)" }.sorted().joined(separator: ", ")
    let (end, isTooFar) = sequence.addingReportingOverflow(4 * Int64(limit))
    var rows = try database.all(
      sql:
        "SELECT \(Self.columns) FROM requests WHERE +state IN (\(list)) AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
      [.integer(sequence), .integer(isTooFar ? .max : end), .integer(limit)], row)
    guard rows.count < limit, !isTooFar, try end < lastSequence() else { return rows }
    rows += try database.all(
      sql: """
        SELECT \(Self.columns) FROM requests WHERE seq IN (
          SELECT seq FROM requests INDEXED BY over WHERE ended IN (\(list)) AND seq > ? ORDER BY seq LIMIT ?)
        ORDER BY seq
        """, [.integer(end), .integer(limit - rows.count)], row)
    return rows
  }

  private func list(
    _ ids: [OutboxID], _ selection: OutboxSelection, after sequence: Int64, limit: Int
  ) throws -> [OutboxRow] {
    let rows = try Set(ids).compactMap { try row($0) }.filter {
      $0.sequence > sequence && selection.includes($0)
    }
    return Array(rows.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  private func strands(_ selection: OutboxSelection) throws -> [Strand] {
    let states = selection.states?.sorted { $0.rawValue < $1.rawValue }
    let stateList = states.map { $0.map { "\($0.rawValue)" }.joined(separator: ", ") }
    switch selection.lane {
    case .named(let lane):
      let condition = stateList.map { "lane = ? AND queued = ? AND +state IN (\($0))" }
      return [false, true].map {
        Strand(condition: condition ?? "lane = ? AND queued = ?", values: [.text(lane), .bool($0)])
      }
    case .none?:
      let condition = stateList.map { "lane IS NULL AND +state IN (\($0))" }
      return [Strand(condition: condition ?? "lane IS NULL")]
    case nil:
      guard let states else { return [Strand(condition: "1")] }
      guard let groups = try groups(of: states) else {
        let stateList = states.filter { !$0.isOver }.map { "\($0.rawValue)" }.joined(separator: ", ")
        return [Strand(condition: "+state IN (\(stateList))")]
      }
      var strands = groups.map {
        Strand(index: "INDEXED BY by_turn", condition: "turn = ? AND priority = ?", values: $0.values)
      }
      if states.contains(.attempting) {
        strands.append(Strand(index: "INDEXED BY leased", condition: "state = 1"))
      }
      return strands
    }
  }
}

extension OutboxState {
  fileprivate var isOver: Bool { [.delivered, .expired, .dropped].contains(self) }
}

/// Groups of rows that are neighbours in the index `by_turn`. The rows of a group have one priority, and all
/// of them are ready to be claimed, stored but not ready, or dead letters. The index finds the oldest row of
/// a group at once, and there are few groups because there are few priorities.
extension OutboxTables {
  struct Group {
    let turn: Int64
    let priority: Int64

    var state: OutboxState { turn == 2 ? .deadLettered : .stored }
    var values: [SQLValue] { [.integer(turn), .integer(priority)] }
  }

  /// The number of groups above which a scan of the rows is quicker.
  private static let mostGroups = 32

  private static let lowestPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE turn = ?")
  private static let nextPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE turn = ? AND priority > ?")
  private static let oldest = Query(
    "SELECT min(seq) FROM requests INDEXED BY by_turn WHERE turn = ? AND priority = ?")

  /// Returns the groups of the stored rows and dead letters among these states, by `turn` and then by
  /// ascending priority; nil if there are more than `mostGroups`.
  func groups(of states: [OutboxState]) throws -> [Group]? {
    var groups: [Group] = []
    for turn in states.flatMap(Self.turns) {
      var priority = try database.integer(Self.lowestPriority, [.integer(turn)])
      while let found = priority {
        groups.append(Group(turn: turn, priority: found))
        if groups.count > Self.mostGroups { return nil }
        priority = try database.integer(Self.nextPriority, [.integer(turn), .integer(found)])
      }
    }
    return groups
  }

  private static func turns(of state: OutboxState) -> [Int64] {
    switch state {
    case .stored: [0, 1]
    case .deadLettered: [2]
    default: []
    }
  }

  /// Returns the sequence of the oldest row of a group.
  func oldest(of group: Group) throws -> Int64? { try database.integer(Self.oldest, group.values) }
}
