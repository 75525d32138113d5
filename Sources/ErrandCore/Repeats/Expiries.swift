/// Elements to forget, in a heap by due time, and the time for which the deadline timer is set. The timer
/// fires at whole tenths of a second only, so that one firing serves many elements.
struct Expiries<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let element: Element
    let due: Duration
  }

  private var heap = Heap<Entry> { $0.due < $1.due }
  private var timer: Duration?

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }

  /// Returns when the timer must fire, or nil if it is set for then or before.
  mutating func add(_ element: Element, due: Duration) -> Duration? {
    heap.insert(Entry(element: element, due: due))
    let ring = Self.ring(after: due)
    if let timer, timer <= ring { return nil }
    timer = ring
    return ring
  }

  /// Removes and returns the earliest element, if it is due.
  mutating func next(by now: Duration) -> Element? {
    guard let first = heap.first, first.due <= now else { return nil }
    return heap.removeFirst()?.element
  }

  /// Called after the timer has fired and the due elements were removed: returns when it must fire again.
  mutating func nextRing() -> Duration? {
    timer = heap.first.map { Self.ring(after: $0.due) }
    return timer
  }

  /// Drops the elements for which `isAlive` returns false.
  mutating func keep(where isAlive: (Element) -> Bool) {
    heap.removeAll { !isAlive($0.element) }
  }

  private static func ring(after due: Duration) -> Duration {
    .milliseconds((due.wholeMilliseconds / 100 + 1) * 100)
  }
}
