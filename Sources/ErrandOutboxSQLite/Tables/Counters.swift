import ErrandOutbox

/// The changes that a transaction makes to the number of rows and bytes of each state.
struct Counters {
  private(set) var changes = Array(
    repeating: (count: Int64(0), bytes: Int64(0)), count: OutboxState.allCases.count)

  mutating func add(_ state: OutboxState, bytes: Int64) { change(state, 1, bytes) }

  mutating func remove(_ state: OutboxState, bytes: Int64) { change(state, -1, -bytes) }

  private mutating func change(_ state: OutboxState, _ count: Int64, _ bytes: Int64) {
    changes[state.rawValue].count += count
    // The sizes in a damaged file may add up to an overflow.
    changes[state.rawValue].bytes &+= bytes
  }
}
