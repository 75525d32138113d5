/// Rows that lie beside each other in the index `by_turn`: of one priority, and all ready to be claimed, or all not, or all
/// set aside. In a group the oldest is found at once, and there are few groups, for priorities are few.
extension OutboxTables {
  struct Group {
    let turn: Int64
    let priority: Int64

    var state: OutboxState { turn == 2 ? .setAside : .stored }
    var values: [SQLValue] { [.integer(turn), .integer(priority)] }
  }

  /// With more groups than this it is quicker to look at the rows one by one.
  private static let mostGroups = 32

  private static let lowestPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE turn = ?")
  private static let nextPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE turn = ? AND priority > ?")
  private static let oldest = Query(
    "SELECT min(seq) FROM requests INDEXED BY by_turn WHERE turn = ? AND priority = ?")

  /// The groups of what waits in these states, the least important of each first; nil if they are many.
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
    case .setAside: [2]
    default: []
    }
  }

  /// The sequence of the oldest of a group.
  func oldest(of group: Group) throws -> Int64? { try database.integer(Self.oldest, group.values) }
}
