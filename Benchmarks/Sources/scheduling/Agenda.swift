/// Events in the order of their times, in a binary heap.
struct Agenda<Event> {
  private var entries: [(time: Double, event: Event)] = []

  mutating func add(_ event: Event, at time: Double) {
    entries.append((time, event))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].time < entries[parent].time else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func next() -> (time: Double, event: Event)? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [parent * 2 + 1, parent * 2 + 2] where child < entries.count {
        if entries[child].time < entries[least].time { least = child }
      }
      if least == parent { return first }
      entries.swapAt(least, parent)
      parent = least
    }
  }
}
