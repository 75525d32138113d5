/// Tracks which requests were sent recently, so that their repeats are ignored. A sent request begins a
/// window and sets its length; ignored requests change nothing. Pure: the time is a parameter.
struct IgnoreState: Sendable {
  enum Decision: Sendable, Hashable {
    /// The request must be sent. `timer` is the time at which `expire` must be called, or nil if the timer is
    /// already set early enough.
    case send(timer: Duration?)
    /// The same request was sent `sent` ago, in a window of length `window`.
    case ignore(sent: Duration, window: Duration)
  }

  private struct Window: Sendable {
    let began: Duration
    let length: Duration
    var end: Duration { began + length }
  }

  private var windows: [RequestKey: Window] = [:]
  private var expiries = Expiries<RequestKey>()

  var count: Int { windows.count + expiries.count }
  var isEmpty: Bool { count == 0 }

  mutating func admit(_ key: RequestKey, within interval: Duration, at now: Duration) -> Decision {
    if let window = windows[key], now < window.end {
      return .ignore(sent: max(.zero, now - window.began), window: window.length)
    }
    guard interval > .zero else { return .send(timer: nil) }
    let window = Window(began: now, length: min(interval, .longest))
    windows[key] = window
    return .send(timer: expiries.add(key, due: window.end))
  }

  /// Closes the window that began at `began`, if it still exists.
  mutating func close(_ key: RequestKey, began: Duration) {
    if windows[key]?.began == began { windows[key] = nil }
  }

  /// Removes the windows that have ended. Returns the time of the next call.
  mutating func expire(at now: Duration) -> Duration? {
    while let key = expiries.next(by: now) {
      // A new window of the same key may have begun since.
      if let window = windows[key], window.end <= now { windows[key] = nil }
    }
    if windows.isEmpty { windows = [:] }
    return expiries.nextRing()
  }
}

/// Elements to remove, in a heap by due time, and the time for which the deadline timer is set. The timer
/// fires only at whole tenths of a second, so that one firing serves many elements.
struct Expiries<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let element: Element
    let due: Duration
  }

  private var heap = Heap<Entry> { $0.due < $1.due }
  private var timer: Duration?

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }

  /// Returns the time at which the timer must fire, or nil if it is set for then or before.
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

  /// Returns the time at which the timer must fire next. Called after it has fired and the due elements were
  /// removed.
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
