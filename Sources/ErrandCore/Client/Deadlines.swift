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
