/// A clock with its type erased: instants are durations since the timeline was made.
package struct Timeline: Sendable {
  package let now: @Sendable () -> Duration
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(_ clock: any Clock<Duration>) {
    self = (clock as? ContinuousClock).map(Timeline.over) ?? Timeline.over(clock)
  }

  /// Does the same as for any clock: the usual one is asked several times for each request, without a detour by its
  /// protocol.
  private static func over(_ clock: ContinuousClock) -> Timeline {
    let start = clock.now
    return Timeline(
      now: { start.duration(to: ContinuousClock.now) },
      sleep: { wait in
        try await clock.sleep(until: clock.now.advanced(by: min(wait, .longest)), tolerance: nil)
      })
  }

  private init(
    now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func over<C: Clock>(_ clock: C) -> Timeline where C.Duration == Duration {
    let start = clock.now
    return Timeline(
      now: { start.duration(to: clock.now) },
      sleep: { wait in
        // Instants have an end, and adding to them past it would trap.
        try await clock.sleep(until: clock.now.advanced(by: min(wait, .longest)), tolerance: nil)
      })
  }

  /// Waits until a task ends, at most so long, also in a cancelled task. Does not cancel the one it waits for.
  /// - Returns: Whether it has ended.
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
    // It fires for others than the one that sets it, so it has neither that one's priority nor its task-local values.
    let task = Task.detached(priority: .high) { [weak self, timeline] in
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
  /// A hundred years: practically for ever.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  package var wholeMilliseconds: Int {
    // Clamped to ±36 million years, so that the result can be added to without overflow. Not by way of `components`,
    // which costs ten times as much.
    let limit: Int128 = 1 << 60
    return Int(max(-limit, min(attoseconds / 1_000_000_000_000_000, limit)))
  }

  /// The duration as text: `10 s`, `0.25 s`.
  package var formattedSeconds: String {
    let milliseconds = wholeMilliseconds
    if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
    var fraction = String(1000 + milliseconds % 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(milliseconds / 1000).\(fraction) s"
  }
}
