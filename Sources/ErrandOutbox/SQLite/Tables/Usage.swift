/// What the caps count.
struct Usage {
  /// How much is stored, being tried or set aside.
  var count = 0
  var bytes: Int64 = 0
  /// The bytes of what is over, and would be forgotten to make room.
  var overBytes: Int64 = 0

  mutating func add(_ tally: Tally) {
    for state in OutboxState.allCases {
      let change = tally.changes[state.rawValue]
      if state.isOpen || state == .setAside {
        count += Int(change.count)
        bytes += change.bytes
      } else {
        overBytes += change.bytes
      }
    }
  }
}
