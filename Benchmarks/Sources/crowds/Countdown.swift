import Synchronization

/// Lets one task wait for a number of arrivals.
final class Countdown: Sendable {
  private struct State {
    var missing: Int
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(missing: count)) }

  func arrive() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.missing -= 1
      return state.missing == 0 ? state.waiter : nil
    }
    waiter?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.missing > 0 { state.waiter = continuation }
        return state.missing <= 0
      }
      if isDone { continuation.resume() }
    }
  }
}
