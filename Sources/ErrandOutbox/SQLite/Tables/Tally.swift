/// What a transaction changes about how many rows there are of each state, and of how many bytes.
struct Tally {
  private(set) var changes = Array(
    repeating: (count: Int64(0), bytes: Int64(0)), count: OutboxState.allCases.count)

  mutating func add(_ state: OutboxState, bytes: Int64) { change(state, 1, bytes) }

  mutating func remove(_ state: OutboxState, bytes: Int64) { change(state, -1, -bytes) }

  private mutating func change(_ state: OutboxState, _ count: Int64, _ bytes: Int64) {
    changes[state.rawValue].count += count
    // The numbers of a damaged file may come to anything.
    changes[state.rawValue].bytes &+= bytes
  }
}
