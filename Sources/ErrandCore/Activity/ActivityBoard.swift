/// The state that an activity shares with the readers of its updates. It does not keep the activity alive.
final class ActivityBoard: Sendable {
  typealias Waiter = CheckedContinuation<Activity.Snapshot?, Never>

  /// The waiters and the observed activity to notify once the lock is released.
  private struct News {
    let snapshot: Activity.Snapshot
    let waiters: [Waiter]
    var observed: Activity?
  }

  private struct State {
    var rules: ActivityState
    weak var activity: Activity?
    /// The readers; nil for a reader that is about to wait.
    var followers: [UInt64: Waiter?] = [:]
    var lastFollower: UInt64 = 0
    var isOver = false
    /// The properties that were read and may be observed.
    var observed: ActivityChanges = []
    /// The properties that have changed since the observers were notified.
    var untold: ActivityChanges = []

    mutating func takeWaiters() -> [Waiter] {
      guard !followers.isEmpty else { return [] }
      let waiters = followers.compactMapValues { $0 }
      for id in waiters.keys { followers[id] = nil }
      return Array(waiters.values)
    }

    mutating func news(of changes: ActivityChanges) -> News {
      var news = News(snapshot: rules.snapshot, waiters: takeWaiters())
      let toTell = changes.intersection(observed)
      // If `untold` is not empty, a task that will notify the observers is already scheduled, and reports
      // this too.
      if !toTell.isEmpty, untold.isEmpty { news.observed = activity }
      untold.formUnion(toTell)
      return news
    }
  }

  private let state: Locked<State>

  init(_ rules: ActivityState) { state = Locked(State(rules: rules)) }

  func attach(_ activity: Activity) { state.withLock { $0.activity = activity } }

  /// Applies an event and notifies readers and observers. Returns the event's result, and when to ring next.
  func change<Result: Sendable>(
    _ event: (inout ActivityState) -> (Result, ActivityState.Step)
  ) -> (Result, due: Duration?) {
    let (result, due, news) = state.withLock { state in
      let (result, step) = event(&state.rules)
      return (result, step.due, step.changes.isEmpty ? nil : state.news(of: step.changes))
    }
    if let news {
      for waiter in news.waiters { waiter.resume(returning: news.snapshot) }
      if let activity = news.observed { Task { @MainActor in activity.tellObservers() } }
    }
    return (result, due)
  }

  func ring(at now: Duration) -> Duration? { change { ((), $0.ring(at: now)) }.due }

  /// Returns the snapshot and marks these properties as observed.
  func snapshot(observing properties: ActivityChanges) -> Activity.Snapshot {
    state.withLock { state in
      state.observed.formUnion(properties)
      return state.rules.snapshot
    }
  }

  func takeUntold() -> ActivityChanges {
    state.withLock { state in
      defer { state.untold = [] }
      return state.untold
    }
  }

  /// Ends all updates, because the activity is gone.
  func finish() {
    let (last, waiters) = state.withLock { state in
      state.isOver = true
      let changes = state.rules.close()
      return (changes.isEmpty ? nil : state.rules.snapshot, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume(returning: last) }
  }

  /// Returns the snapshot once it differs from `seen`; nil if the task is cancelled or the activity gone.
  func next(after seen: Activity.Snapshot?) async -> Activity.Snapshot? {
    if Task.isCancelled { return nil }
    enum Entrance {
      case news(Activity.Snapshot?)
      case waits(UInt64)
    }
    let entrance: Entrance = state.withLock { state in
      if state.rules.snapshot != seen { return .news(state.rules.snapshot) }
      if state.isOver { return .news(nil) }
      state.lastFollower += 1
      state.followers[state.lastFollower] = .some(nil)
      return .waits(state.lastFollower)
    }
    switch entrance {
    case .news(let snapshot): return snapshot
    case .waits(let id):
      return await withTaskCancellationHandler {
        await withCheckedContinuation { wait(id, $0, after: seen) }
      } onCancel: {
        leave(id)
      }
    }
  }

  private func wait(_ id: UInt64, _ waiter: Waiter, after seen: Activity.Snapshot?) {
    let response: Activity.Snapshot?? = state.withLock { state in
      // The wait has been cancelled.
      guard state.followers[id] != nil else { return .some(nil) }
      if state.rules.snapshot == seen, !state.isOver {
        state.followers[id] = waiter
        return nil
      }
      state.followers[id] = nil
      return state.rules.snapshot == seen ? .some(nil) : state.rules.snapshot
    }
    if let response { waiter.resume(returning: response) }
  }

  private func leave(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { $0.followers.removeValue(forKey: id) ?? nil }
    waiter?.resume(returning: nil)
  }
}
