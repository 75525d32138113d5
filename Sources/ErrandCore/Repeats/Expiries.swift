/// What is to be forgotten, by the time when it may be: a heap, and the time for which an alarm is set. The alarm rings at
/// whole tenths of a second only, so that it rings for many at once.
struct Expiries<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let element: Element
    let due: Duration
  }

  private var heap: [Entry] = []
  private var alarm: Duration?

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }

  /// Returns when the alarm must ring, if it is not set for then or before.
  mutating func add(_ element: Element, due: Duration) -> Duration? {
    heap.append(Entry(element: element, due: due))
    rise(from: heap.count - 1)
    let ring = Self.ring(after: due)
    if let alarm, alarm <= ring { return nil }
    alarm = ring
    return ring
  }

  /// Takes out the earliest, if its time has come.
  mutating func next(by now: Duration) -> Element? {
    guard let first = heap.first, first.due <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return first.element
  }

  /// The alarm has rung, and those whose time had come are out: returns when it must ring again.
  mutating func nextRing() -> Duration? {
    if heap.isEmpty { heap = [] }
    alarm = heap.first.map { Self.ring(after: $0.due) }
    return alarm
  }

  /// Drops those that stand for nothing any more.
  mutating func keep(where isAlive: (Element) -> Bool) {
    heap.removeAll { !isAlive($0.element) }
    // In order is a heap as well.
    heap.sort { $0.due < $1.due }
  }

  private static func ring(after due: Duration) -> Duration {
    .milliseconds((due.wholeMilliseconds / 100 + 1) * 100)
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].due < heap[parent].due else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in 2 * index + 1...2 * index + 2 where child < heap.count {
        if heap[child].due < heap[least].due { least = child }
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
