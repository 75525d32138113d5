import ErrandCore

extension BackgroundDelivery {
  struct State {
    var handover: HandoverState
    /// False from `enterBackground` on, until `enterForeground`; nil before the first of them.
    var isForeground: Bool?
    /// Counts the times that the app had no time left: what began to open the store before is over.
    var openings = 0
    var ends: [Lease: AttemptEnd] = [:]
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
    /// The callers whose time was over before they waited.
    var late: Set<Int> = []
    /// True once a request could not be prepared. It is not handed over before it is due then, so that it is not
    /// prepared again and again.
    var handsOverOnlyDue = false
    /// The lanes whose constraints did not allow it.
    var passedLanes: Set<ExactBytes> = []
    /// True if the session has told everything before `handleEvents` was called, and nothing since.
    var isDrained = false
    /// True while the store is suspended.
    var isSuspended = false
    /// True once the outbox is closed.
    var isClosed = false
    /// The last piece of work that opens or closes the store.
    var turn: Task<Void, Never>?
  }

  /// The end of an attempt, as far as it is known.
  enum AttemptEnd: Sendable {
    case told(SessionEnd)
    /// The request was not handed over.
    case known(Result<Response, any Error>)
  }
}

extension BackgroundDelivery.State {
  /// Forgets what did not go, because it may go now.
  mutating func forget() { (handsOverOnlyDue, passedLanes) = (false, []) }

  /// Keeps the end of an attempt: the first one, unless that was only the task's cancellation.
  mutating func keep(_ end: BackgroundDelivery.AttemptEnd, of lease: Lease) {
    switch ends[lease] {
    case nil, .told(.cancelled): ends[lease] = end
    case .told, .known: break
    }
  }

  /// Drops the end of an attempt that is recorded, or was never wanted.
  mutating func dropEnd(of lease: Lease) {
    if case .recording = handover.requests[lease] { return }
    if handover.early[lease] == nil { ends[lease] = nil }
  }
}
