/// A clock with its type erased. Its instants are durations since the timeline was created.
package struct Timeline: Sendable {
  package let now: @Sendable () -> Duration
  package let sleep: @Sendable (Duration) async throws -> Void
  /// The clock, if it counts the work of its users. Tasks that a client or a timer starts are part of this work.
  package let counting: (any WorkCountingClock)?

  package init(_ clock: any Clock<Duration>) {
    self = (clock as? ContinuousClock).map(Timeline.over) ?? Timeline.over(clock)
  }

  /// Does the same as for any clock. It avoids the protocol's overhead, because this clock is read several
  /// times for each request.
  private static func over(_ clock: ContinuousClock) -> Timeline {
    let start = Moment.now
    return Timeline(
      now: { Moment.now - start },
      sleep: { wait in
        try await clock.sleep(until: clock.now.advanced(by: min(wait, .longest)), tolerance: nil)
      })
  }

  private init(
    now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
    counting: (any WorkCountingClock)? = nil
  ) {
    self.now = now
    self.sleep = sleep
    self.counting = counting
  }

  private static func over<C: Clock>(_ clock: C) -> Timeline where C.Duration == Duration {
    let start = clock.now
    return Timeline(
      now: { start.duration(to: clock.now) },
      sleep: { wait in
        // A clock's instants are bounded, and adding past the end would trap.
        try await clock.sleep(until: clock.now.advanced(by: min(wait, .longest)), tolerance: nil)
      }, counting: clock as? any WorkCountingClock)
  }

  /// Waits until a task ends, but at most for `limit`, also in a cancelled task. It does not cancel that
  /// task.
  /// - Returns: Whether the task has ended.
  package func waits(for task: Task<Void, Never>, atMost limit: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let waiting = Locked<CheckedContinuation<Bool, Never>?>(continuation)
      let resume = { @Sendable (hasEnded: Bool) in waiting.withLock { $0.take() }?.resume(returning: hasEnded)
      }
      let timer = Task {
        try await sleep(limit)
        resume(false)
      }
      Task {
        await task.value
        timer.cancel()
        resume(true)
      }
    }
  }
}

/// One timer for many deadlines. It fires at the earliest deadline that was set, and its handler returns the
/// next. One task sleeps, however many deadlines there are.
package final class DeadlineTimer: Sendable {
  /// Called with the current time. Returns the time at which to fire next, or nil.
  package typealias Handler = @Sendable (Duration) -> Duration?

  private struct State {
    var due: Duration?
    var number = 0
    var task: Task<Void, any Error>?
  }

  private let timeline: Timeline
  private let handler: Handler
  private let state = Locked(State())

  /// - Parameter handler: A closure that must not keep the timer's owner alive.
  package init(_ timeline: Timeline, _ handler: @escaping Handler) {
    self.timeline = timeline
    self.handler = handler
  }

  deinit { state.withLock { $0.task }?.cancel() }

  /// Makes the timer fire at `due`, on its timeline, or earlier.
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
    // The timer fires for many callers, so it must not inherit the priority or the task-local values of the
    // one that sets it.
    let task = Task.detached(executorPreference: timeline.counting?.executor, priority: .high) {
      [weak self, timeline] in
      try await timeline.sleep(due - timeline.now())
      self?.ring(number)
    }
    let isReplaced = state.withLock { state in
      if state.number == number, state.due != nil { state.task = task }
      return state.number != number
    }
    if isReplaced { task.cancel() }
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

extension Duration {
  /// A hundred years, which counts as for ever.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  package var wholeMilliseconds: Int {
    // Clamped to ±36 million years, so that adding to the result does not overflow. `components` is not used,
    // because it costs ten times as much.
    let limit: Int128 = 1 << 60
    return Int(max(-limit, min(attoseconds / 1_000_000_000_000_000, limit)))
  }

  /// The duration as text, such as `10 s` and `0.25 s`.
  package var formattedSeconds: String {
    let milliseconds = wholeMilliseconds
    if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
    var fraction = String(1000 + milliseconds % 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(milliseconds / 1000).\(fraction) s"
  }
}
