import ErrandCore
import ErrandObservability

/// Keeps the steps of the command's call for the waterfall, and shows waits before retries on a terminal.
final class CallWatch: EventListener {
  private struct State {
    var timeline: CallTimeline?
    var call: UInt64?
    var last: CallTimeline?
    var isFresh = false
  }

  private let waits: WaitLine?
  private let state = Locked(State())

  /// - Parameter waits: Shows waits; nil to show none.
  init(_ waits: WaitLine?) { self.waits = waits }

  /// Returns the steps of the last call that ended, and nil if they were already taken.
  func takeTimeline() -> CallTimeline? {
    state.withLock { state in
      defer { state.isFresh = false }
      return state.isFresh ? state.last : nil
    }
  }

  func record(_ event: CallEvent) {
    let time = event.time
    state.withLock { state in
      if case .started = event.kind, state.call == nil {
        (state.call, state.timeline) = (event.call, CallTimeline(began: time))
      }
      guard event.call == state.call else { return }
      state.timeline?.take(event)
      if event.isEnd {
        (state.last, state.isFresh) = (state.timeline, true)
        (state.call, state.timeline) = (nil, nil)
      }
    }
    switch event.kind {
    case .retrying(let wait, let failure):
      let isAsked = failure.fields?.contains("Retry-After") == true
      waits?.begin(wait, isAsked ? "for Retry-After" : "after a failure", attempt: event.attempt + 1)
    case .waited(.backoff), .attemptStarted: waits?.end()
    default: if event.isEnd { waits?.end() }
    }
  }
}
