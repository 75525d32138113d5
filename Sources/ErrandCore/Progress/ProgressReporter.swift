/// Takes numbers on a transport's thread and tells them to the user's handler in a task of its own.
final class ProgressReporter: Sendable {
  private struct State {
    var progress = ProgressState()
    var delivery: Task<Void, Never>?
  }

  private let handler: ProgressHandler
  private let state = Locked(State())

  init(_ handler: @escaping ProgressHandler) { self.handler = handler }

  func begin(attempt: Int, sentTotal: Int64?) {
    report { $0.begin(attempt: attempt, sentTotal: sentTotal) }
  }
  func sent(_ bytes: Int64) { report { $0.sent(bytes) } }
  func receiving(from start: Int64, total: Int64?) {
    report { $0.receiving(from: start, total: total) }
  }
  func received(_ count: Int64) { report { $0.received(count) } }

  /// Returns when everything reported so far has been told.
  func flush() async {
    await state.withLock { $0.delivery }?.value
  }

  private func report(_ change: (inout ProgressState) -> Bool) {
    state.withLock { state in
      guard change(&state.progress) else { return }
      // Each delivery waits for the one before it, which is about to end.
      state.delivery = Task { [previous = state.delivery] in
        await previous?.value
        while let next = self.state.withLock({ $0.progress.next() }) { self.handler(next) }
      }
    }
  }
}
