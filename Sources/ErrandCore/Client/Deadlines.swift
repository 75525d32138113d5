/// The deadlines of a client's calls. One task sleeps for all of them, because a task for each call would
/// cost more than the rest of its chain.
final class Deadlines: Sendable {
  /// The deadline of one call.
  struct Place: Sendable {
    fileprivate let deadlines: Deadlines
    fileprivate let token: DeadlineState<Element>.Token

    func leave() { deadlines.calls.remove(token) }
  }

  fileprivate struct Element: Sendable {
    let cancellation: CancellationToken
    let deadline: Duration
  }

  /// Separate, so that the timer does not keep `Deadlines` alive.
  private final class Calls: Sendable {
    private let state = Locked(DeadlineState<Element>())

    var count: Int { state.withLock { $0.count } }

    func add(_ element: Element, due: Duration) -> (DeadlineState<Element>.Token, timer: Duration?) {
      state.withLock { $0.add(element, due: due) }
    }

    func remove(_ token: DeadlineState<Element>.Token) { state.withLock { $0.remove(token) } }

    func expire(at now: Duration) -> Duration? {
      let (due, timer) = state.withLock { $0.expire(at: now) }
      // All are cancelled before any handler runs: see `prepareCancel`.
      let handlers = due.map { $0.cancellation.prepareCancel(.deadlineExceeded($0.deadline)) }
      // One task for each call, because a handler that blocks must not delay other calls.
      for tells in handlers { Task { for tell in tells { tell() } } }
      return timer
    }
  }

  private let calls = Calls()
  private let timeline: Timeline
  private let timer: DeadlineTimer

  init(_ timeline: Timeline) {
    self.timeline = timeline
    timer = DeadlineTimer(timeline) { [calls] now in calls.expire(at: now) }
  }

  var count: Int { calls.count }

  /// Cancels a call at its deadline, unless it has left its place before.
  /// - Parameter started: The time at which the call began, on the timeline.
  func add(_ cancellation: CancellationToken, _ deadline: Duration, from started: Duration) -> Place {
    // Bounded, because adding a very long duration would overflow and trap.
    let due = started + max(.zero, min(deadline, .longest))
    let (token, timer) = calls.add(Element(cancellation: cancellation, deadline: deadline), due: due)
    if let timer { self.timer.set(for: timer) }
    return Place(deadlines: self, token: token)
  }
}

/// Elements with deadlines: they are added, removed, and returned when they are due. Pure: the time is a
/// parameter.
///
/// Most elements are removed long before they are due. A removed element stays in the heap until it comes to
/// the top, or until removed elements outnumber the others.
struct DeadlineState<Element: Sendable>: Sendable {
  typealias Token = Slab<Element>.Token

  private struct Entry: Sendable {
    let token: Token
    let due: Duration
  }

  private var elements = Slab<Element>()
  private var heap = Heap<Entry> { $0.due < $1.due }
  private var timer: Duration?

  var count: Int { elements.count }
  /// The number of entries in the heap, including those of removed elements.
  var entries: Int { heap.count }

  /// Adds an element.
  /// - Returns: Its token, and the time for which the timer must be set, or nil if it is set early enough
  ///   already.
  mutating func add(_ element: Element, due: Duration) -> (Token, timer: Duration?) {
    if heap.count > 2 * elements.count + 64 { heap.removeAll { elements[$0.token] == nil } }
    let token = elements.insert(element)
    heap.insert(Entry(token: token, due: due))
    if let timer, timer <= due { return (token, nil) }
    timer = due
    return (token, due)
  }

  mutating func remove(_ token: Token) { elements.remove(token) }

  /// Removes and returns the elements that are due. Called when the timer has fired.
  /// - Returns: The elements, and the time for which the timer must be set; nil if no elements are left.
  mutating func expire(at now: Duration) -> ([Element], timer: Duration?) {
    var due: [Element] = []
    while let first = heap.first, first.due <= now || elements[first.token] == nil {
      _ = heap.removeFirst()
      if let element = elements.remove(first.token) { due.append(element) }
    }
    timer = heap.first?.due
    return (due, timer)
  }
}
