/// What the caps count: what is stored, being tried or set aside.
struct Usage {
  var count = 0
  var bytes: Int64 = 0

  mutating func add(_ tally: Tally) {
    for state in [OutboxState.stored, .trying, .setAside] {
      count += Int(tally.changes[state.rawValue].count)
      bytes += tally.changes[state.rawValue].bytes
    }
  }
}
