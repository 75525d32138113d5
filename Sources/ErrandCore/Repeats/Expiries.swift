/// What is to be forgotten, by the time when it may be: a heap, and the time for which an alarm is set. The alarm rings at
/// whole tenths of a second only, so that it rings for many at once.
struct Expiries<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let element: Element
    let due: Duration
  }

  private var heap = Heap<Entry> { $0.due < $1.due }
  private var alarm: Duration?

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }

  /// Returns when the alarm must ring, if it is not set for then or before.
  mutating func add(_ element: Element, due: Duration) -> Duration? {
    heap.insert(Entry(element: element, due: due))
    let ring = Self.ring(after: due)
    if let alarm, alarm <= ring { return nil }
    alarm = ring
    return ring
  }

  /// Takes out the earliest, if its time has come.
  mutating func next(by now: Duration) -> Element? {
    guard let first = heap.first, first.due <= now else { return nil }
    return heap.removeFirst()?.element
  }

  /// The alarm has rung, and those whose time had come are out: returns when it must ring again.
  mutating func nextRing() -> Duration? {
    alarm = heap.first.map { Self.ring(after: $0.due) }
    return alarm
  }

  /// Drops those that stand for nothing any more.
  mutating func keep(where isAlive: (Element) -> Bool) {
    heap.removeAll { !isAlive($0.element) }
  }

  private static func ring(after due: Duration) -> Duration {
    .milliseconds((due.wholeMilliseconds / 100 + 1) * 100)
  }
}
