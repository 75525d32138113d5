import ErrandCore

extension BackgroundDelivery {
  struct State {
    var handover: HandoverState
    /// False from `enterBackground` on, until `enterForeground`; nil before the first of these calls.
    var isForeground: Bool?
    /// The number of times that the app ran out of time. An opening of the store that began earlier does not
    /// count any more.
    var openings = 0
    var ends: [Lease: AttemptEnd] = [:]
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
    /// The callers whose limit passed before they waited.
    var late: Set<Int> = []
    /// True once a request could not be prepared. Requests are then handed over only when they are due, so
    /// that the request is not prepared over and over.
    var handsOverOnlyDue = false
    /// The lanes whose constraints did not allow a handover.
    var passedLanes: Set<ExactBytes> = []
    /// True if the session reported everything before `handleEvents` was called, and has reported nothing
    /// since.
    var isDrained = false
    /// True while the store is suspended.
    var isSuspended = false
    /// True once the outbox is closed.
    var isClosed = false
    /// The last piece of work that opens or closes the store.
    var turn: Task<Void, Never>?
  }

  /// The known end of an attempt.
  enum AttemptEnd: Sendable {
    case told(SessionEnd)
    /// The request was not handed over.
    case known(Result<Response, any Error>)
  }
}

extension BackgroundDelivery.State {
  /// Forgets which requests and lanes could not be handed over, because that may be possible now.
  mutating func forget() { (handsOverOnlyDue, passedLanes) = (false, []) }

  /// Keeps the first end of an attempt, unless that was only the cancellation of the task.
  mutating func keep(_ end: BackgroundDelivery.AttemptEnd, of lease: Lease) {
    switch ends[lease] {
    case nil, .told(.cancelled): ends[lease] = end
    case .told, .known: break
    }
  }

  /// Drops the end of an attempt that is recorded, or was never needed.
  mutating func dropEnd(of lease: Lease) {
    if case .recording = handover.requests[lease] { return }
    if handover.early[lease] == nil { ends[lease] = nil }
  }
}
