/// Rows that lie beside each other in the index `by_turn`: of one state, one priority, and ready to be claimed or not. In
/// a group the oldest is found at once, and there are few groups, for priorities are few.
extension OutboxTables {
  struct Group {
    let state: OutboxState
    let isReady: Bool
    let priority: Int64

    var values: [SQLValue] { [.state(state), .bool(isReady), .integer(priority)] }
  }

  /// With more groups than this it is quicker to look at the rows one by one.
  private static let mostGroups = 32

  private static let lowestPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE state = ? AND ready = ?")
  private static let nextPriority = Query(
    "SELECT min(priority) FROM requests INDEXED BY by_turn WHERE state = ? AND ready = ? AND priority > ?")
  private static let oldest = Query(
    "SELECT min(seq) FROM requests INDEXED BY by_turn WHERE state = ? AND ready = ? AND priority = ?")

  /// The groups of a state, the least important first; nil if they are many.
  func groups(of state: OutboxState) throws -> [Group]? {
    var groups: [Group] = []
    for isReady in state == .stored ? [false, true] : [false] {
      var priority = try database.integer(Self.lowestPriority, [.state(state), .bool(isReady)])
      while let found = priority {
        groups.append(Group(state: state, isReady: isReady, priority: found))
        if groups.count > Self.mostGroups { return nil }
        priority = try database.integer(
          Self.nextPriority, [.state(state), .bool(isReady), .integer(found)])
      }
    }
    return groups
  }

  /// The sequence of the oldest of a group.
  func oldest(of group: Group) throws -> Int64? { try database.integer(Self.oldest, group.values) }
}
