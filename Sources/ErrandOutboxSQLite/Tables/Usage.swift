import ErrandOutbox

/// The numbers of rows and bytes that the caps limit.
struct Usage {
  /// The number of rows that are stored, being attempted, or dead letters.
  var count = 0
  var bytes: Int64 = 0
  /// The bytes of finished rows, which are deleted if a new row needs the room.
  var overBytes: Int64 = 0

  mutating func add(_ counters: Counters) {
    for state in OutboxState.allCases {
      let change = counters.changes[state.rawValue]
      if state.isOpen || state == .deadLettered {
        count += Int(change.count)
        bytes += change.bytes
      } else {
        overBytes += change.bytes
      }
    }
  }
}
