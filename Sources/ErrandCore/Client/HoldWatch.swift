/// Ends a shared request that interceptors have in hand for too long while others have joined it: one of them may be what an
/// interceptor waits for, in a task that does not know whose it is.
final class HoldWatch: Sendable {
  private struct State {
    /// How many interceptors' code runs, less those of them that wait for `next`.
    var holders = 0
    var since: Duration?
    var joined: Duration?
    var timer: Task<Void, any Error>?
    var failure: RequestError?
    var hasEnded = false
  }

  private let flight: Flight
  private let timeline: Timeline
  private let state = Locked(State())

  init(of flight: Flight, _ timeline: Timeline) {
    self.flight = flight
    self.timeline = timeline
    _ = flight.joined.listen { [weak self] _ in self?.begin() }
  }

  /// What the request fails with, if it was ended here.
  var failure: RequestError? { state.withLock { $0.failure } }

  /// Interceptors get it in hand, or get it back from `next`.
  func take() {
    let now = timeline.now()
    state.withLock { state in
      state.holders += 1
      if state.holders == 1 { state.since = now }
    }
  }

  /// Interceptors hand it on, or are done with it.
  func handOn() {
    state.withLock { state in
      state.holders -= 1
      if state.holders == 0 { state.since = nil }
    }
  }

  func end() {
    let timer = state.withLock { state in
      state.hasEnded = true
      return state.timer
    }
    timer?.cancel()
  }

  private func begin() {
    let now = timeline.now()
    let timer = Task { [weak self, timeline] in
      while let wait = self?.look() { try await timeline.sleep(wait) }
    }
    let isLate = state.withLock { state in
      (state.joined, state.timer) = (now, timer)
      return state.hasEnded
    }
    if isLate { timer.cancel() }
  }

  /// Returns after what time to look again, if it goes on.
  private func look() -> Duration? {
    let (now, limit) = (timeline.now(), Flight.longestHold)
    let wait: Duration? = state.withLock { state in
      if state.hasEnded { return nil }
      guard let since = state.since else { return limit }
      let left = max(since, state.joined ?? now) + limit - now
      if left > .zero { return left }
      state.failure = RequestError(
        .deadlineExceeded,
        message: "an interceptor has had this shared request in hand for \(limit.formattedSeconds) while "
          + "others waited for it: what it waits for may be this very request, sent again from a detached task",
        reachedServer: false)
      return nil
    }
    if wait == nil, failure != nil { flight.signal.stop(.deadlineExceeded(limit)) }
    return wait
  }
}
