/// The state that an activity shares with the readers of its updates, which do not keep the activity alive.
struct ObservedActivity {
  private(set) var rules: ActivityState
  private weak var activity: RequestActivity?
  /// The properties that were read and may be observed.
  private var observed: ActivityChanges = []
  /// The properties that have changed since the observers were notified.
  private var untold: ActivityChanges = []

  init(_ rules: ActivityState) { self.rules = rules }

  mutating func observe(_ properties: ActivityChanges, of activity: RequestActivity) {
    observed.formUnion(properties)
    // The weak reference is set only when it is needed, because it makes each other reference to the object
    // slower.
    if self.activity == nil { self.activity = activity }
  }

  /// Applies an event. Returns its result, the next time to call `ring`, and the activity whose observers
  /// must be notified.
  mutating func apply<Result>(
    _ event: (inout ActivityState) -> (Result, ActivityState.Step)
  ) -> (Result, due: Duration?, activity: RequestActivity?) {
    let (result, step) = event(&rules)
    let changes = step.changes.intersection(observed)
    // If `untold` is not empty, a scheduled task will notify the observers of these changes, too.
    let isNews = !changes.isEmpty && untold.isEmpty
    untold.formUnion(changes)
    return (result, step.due, isNews ? activity : nil)
  }

  mutating func takeUntold() -> ActivityChanges {
    defer { untold = [] }
    return untold
  }

  /// Removes all requests, because the activity was released.
  mutating func close() { _ = rules.close() }
}

typealias CurrentActivity = CurrentValue<ObservedActivity, RequestActivity.Snapshot>

extension CurrentActivity {
  convenience init(_ rules: ActivityState) { self.init(ObservedActivity(rules)) { $0.rules.snapshot } }

  /// Applies an event, and notifies readers and observers. Returns the event's result, and the next time to
  /// call `ring`.
  func apply<Result: Sendable>(
    _ event: (inout ActivityState) -> (Result, ActivityState.Step)
  ) -> (Result, due: Duration?) {
    let (result, due, activity) = change { $0.apply(event) }
    if let activity { Task { @MainActor in activity.tellObservers() } }
    return (result, due)
  }

  func ring(at now: Duration) -> Duration? { apply { ((), $0.ring(at: now)) }.due }
}
