/// Ends a shared request that interceptors hold for too long after other callers have joined it. An
/// interceptor may be waiting for one of these callers, in a task that is not linked to the request.
final class HoldWatch: Sendable {
  private struct State {
    /// The number of interceptors whose code runs, without those that wait for `next`.
    var holders = 0
    var since: Duration?
    var joined: Duration?
    var timer: Task<Void, any Error>?
    var failure: RequestError?
    var hasEnded = false
  }

  private let cancellation: CancellationToken
  private let limit: Duration
  private let timeline: Timeline
  private let state = Locked(State())

  /// - Parameters:
  ///   - joined: Settled when another caller has joined the request.
  ///   - cancellation: The token of the request.
  ///   - limit: How long interceptors may hold the request after that.
  init(joined: Promise<Void>, _ cancellation: CancellationToken, limit: Duration, _ timeline: Timeline) {
    self.cancellation = cancellation
    self.limit = limit
    self.timeline = timeline
    _ = joined.listen { [weak self] _ in self?.begin() }
  }

  /// The error that the request fails with, if the watch ended it.
  var failure: RequestError? { state.withLock { $0.failure } }

  /// Records that interceptors hold the request, or hold it again after `next`.
  func take() {
    let now = timeline.now()
    state.withLock { state in
      state.holders += 1
      if state.holders == 1 { state.since = now }
    }
  }

  /// Records that interceptors have passed the request to `next`, or have finished.
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

  /// Returns the time until the next check; nil if no further check is needed.
  private func look() -> Duration? {
    let now = timeline.now()
    let wait: Duration? = state.withLock { state in
      if state.hasEnded { return nil }
      guard let since = state.since else { return limit }
      let left = max(since, state.joined ?? now) + limit - now
      if left > .zero { return left }
      state.failure = RequestError(
        .deadlineExceeded,
        message: "an interceptor held this shared request for \(limit.formattedSeconds) while other callers "
          + "waited for it; it may be waiting for the same request, sent again from a detached task",
        reachedServer: false)
      return nil
    }
    if wait == nil, failure != nil { cancellation.cancel(.deadlineExceeded(limit)) }
    return wait
  }
}
