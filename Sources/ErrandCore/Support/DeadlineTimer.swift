/// One timer for many deadlines: it fires at the earliest deadline that was set, and its handler returns the
/// next. One task sleeps, however many deadlines there are.
package final class DeadlineTimer: Sendable {
  /// Called with the current time; returns when to fire next, or nil.
  package typealias Handler = @Sendable (Duration) -> Duration?

  private struct State {
    var due: Duration?
    var number = 0
    var task: Task<Void, any Error>?
  }

  private let timeline: Timeline
  private let handler: Handler
  private let state = Locked(State())

  /// - Parameter handler: Must not keep the timer's owner alive.
  package init(_ timeline: Timeline, _ handler: @escaping Handler) {
    self.timeline = timeline
    self.handler = handler
  }

  deinit { state.withLock { $0.task }?.cancel() }

  /// Makes sure that the timer fires at `due`, on its timeline, or before.
  package func set(for due: Duration) {
    let (number, late): (Int?, Task<Void, any Error>?) = state.withLock { state in
      if let earlier = state.due, earlier <= due { return (nil, nil) }
      state.due = due
      state.number += 1
      defer { state.task = nil }
      return (state.number, state.task)
    }
    guard let number else { return }
    late?.cancel()
    let task = Task { [weak self, timeline] in
      try await timeline.sleep(due - timeline.now())
      self?.ring(number)
    }
    state.withLock { state in
      if state.number == number, state.due != nil { state.task = task }
    }
  }

  private func ring(_ number: Int) {
    let isMine = state.withLock { state in
      guard state.number == number else { return false }
      state.due = nil
      state.task = nil
      return true
    }
    if isMine, let next = handler(timeline.now()) { set(for: next) }
  }
}
