extension HandoverState {
  enum Effect: Sendable, Hashable {
    /// Open the store, list its marked requests and the session's tasks, and call `opened`.
    case open
    /// Claim at most this many requests, and call `claimed`; then create a task for each, and call
    /// `prepared`.
    case claim(Int)
    /// Note in the store that the session has the request, and call `marked`.
    case mark(Lease)
    case resume(task: Int)
    case cancel(task: Int)
    /// Record the end of an attempt, and call `recorded`.
    case record(Lease, HandedEnd)
    /// List the session's tasks again after a while, and call `settled`.
    case settle
    /// Nothing is in progress. When asleep, close the store: the app may be suspended.
    case rest
  }

  /// The progress of a request.
  enum Stage: Sendable, Hashable {
    case preparing
    /// The task exists and is suspended, and the store is noting it.
    case marking(task: Int)
    /// The session has the task.
    case underWay(task: Int)
    /// The store says that the session has the request, but the session has not listed it.
    case unaccounted
    /// The end of the attempt is being recorded.
    /// - isLate: True if the session reported another end while this one was being recorded.
    case recording(HandedEnd, isLate: Bool)
  }
}

extension HandoverState.Stage {
  /// True if the store says that the session has the request.
  var isHanded: Bool {
    switch self {
    case .underWay, .unaccounted: true
    case .preparing, .marking, .recording: false
    }
  }

  /// True if the request takes a place in the session, or will take one.
  var isInSession: Bool {
    if case .recording = self { false } else { true }
  }
}
