import ErrandOutbox

/// Groups of rows that are neighbours in the index `by_turn`: rows of one priority that are all ready to be
/// claimed, all stored but not ready, or all dead letters. The oldest row of a group is found at once, and
/// there are few groups because there are few priorities.
extension OutboxTables {
  struct Group {
    let turn: Int64
    let priority: Int64

    var state: OutboxState { turn == 2 ? .deadLettered : .stored }
    var values: [SQLValue] { [.integer(turn), .integer(priority)] }
  }

  /// With more groups than this, a scan of the rows is quicker.
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
