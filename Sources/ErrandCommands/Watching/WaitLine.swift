import ErrandCore

/// Shows the remaining time of a wait on a terminal, in one line that is redrawn each second.
final class WaitLine: LiveLine {
  private struct State {
    var task: Task<Void, any Error>?
    var isDrawn = false
    var isOver = false
  }

  private let output: OutputDescriptor
  private let attempts: Int
  private let clock: any Clock<Duration>
  private let state = Locked(State())

  /// - Parameter attempts: The greatest number of attempts, for the line's text.
  init(_ output: OutputDescriptor, attempts: Int, clock: any Clock<Duration> = ContinuousClock()) {
    self.output = output
    self.attempts = attempts
    self.clock = clock
  }

  /// Begins to show a wait of at least 0.5 s. A shorter one could not be read.
  func begin(_ wait: Duration, _ reason: String, attempt: Int) {
    guard wait >= .milliseconds(500) else { return }
    let task = Task { [weak self, clock] in
      var left = wait
      while left > .zero {
        self?.draw(Self.line(left, reason, attempt: attempt, of: self?.attempts ?? 0))
        let step = min(left, .seconds(1))
        try await clock.sleep(for: step)
        left -= step
      }
    }
    let late = state.withLock { state in
      if state.isOver { return task as Task<Void, any Error>? }
      defer { state.task = task }
      return state.task
    }
    late?.cancel()
  }

  /// Removes the line.
  func end() {
    let task = state.withLock { state in
      wipe(&state)
      defer { state.task = nil }
      return state.task
    }
    task?.cancel()
  }

  func clear() { state.withLock { wipe(&$0) } }

  /// Returns the text of the line: `waiting 12 s for Retry-After, attempt 2 of 3`.
  static func line(_ left: Duration, _ reason: String, attempt: Int, of attempts: Int) -> String {
    "waiting \(Int(left.seconds.rounded(.up))) s \(reason), attempt \(attempt) of \(attempts)"
  }

  // The lock is held while writing, so that wiping and drawing keep their order.
  private func draw(_ line: String) {
    state.withLock { state in
      guard !Task.isCancelled else { return }
      state.isDrawn = true
      try? output.write("\r\(line.prefix(max(1, output.width - 1)))\u{1B}[K")
    }
  }

  private func wipe(_ state: inout State) {
    if state.isDrawn { try? output.write("\r\u{1B}[K") }
    state.isDrawn = false
  }
}
