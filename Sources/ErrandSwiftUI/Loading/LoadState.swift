import ErrandCore

/// Decides when the value of one key is loaded for several views, and keeps the state that they show. Pure: the
/// time is a parameter.
///
/// The old value stays while a new one is loading. A cancellation is not an error. A run that is not the
/// newest changes nothing.
struct LoadState<Value> {
  typealias User = Int
  typealias Run = Int

  enum Effect: Equatable {
    /// Send a request for this run.
    case start(Run)
    /// Cancel the request of this run.
    case cancel(Run)
    /// Send this run's request after those of visible views.
    case lower(Run)
    /// Restore the priority of this run's request.
    case restore(Run)
    /// Call `ring` at this time.
    case wake(at: Duration)
    /// Resume the callers of `refresh` that wait for this run.
    case resume(Run)
  }

  private(set) var shown = Loading<Value>(isRefreshing: true)
  /// The run in progress.
  private(set) var running: Run?
  private let grace: Duration
  private var users: Set<User> = []
  private var lastRun = 0
  private var leavesAt: Duration?

  init(grace: Duration) { self.grace = max(.zero, grace) }

  var isUsed: Bool { !users.isEmpty }

  /// Records a view that shows the value. Loads the value unless another view has loaded it or a request is
  /// in progress.
  mutating func appear(_ user: User) -> [Effect] {
    let isFirst = users.isEmpty
    users.insert(user)
    if let running {
      guard leavesAt != nil else { return [] }
      leavesAt = nil
      return [.restore(running)]
    }
    // A view that is not the only one shows the same as the others.
    return isFirst || shown.value == nil && shown.error == nil ? start() : []
  }

  /// Records a view that has disappeared. After the last view, the request's priority is lowered, and the
  /// request is cancelled after the grace.
  /// - Parameter isFinal: True if the view shows another key now, so that it will not come back.
  mutating func disappear(_ user: User, isFinal: Bool, at now: Duration) -> [Effect] {
    guard users.remove(user) != nil, users.isEmpty, let running else { return [] }
    if isFinal { return cancel(running) }
    leavesAt = now + grace
    return [.lower(running), .wake(at: now + grace)]
  }

  /// Handles the time that `wake` named.
  mutating func ring(at now: Duration) -> [Effect] {
    guard let leavesAt, now >= leavesAt, users.isEmpty, let running else { return [] }
    return cancel(running)
  }

  /// Loads again, unless a request is in progress.
  mutating func refresh() -> [Effect] { running == nil ? start() : [] }

  /// Records that the network is back. A failed value is loaded again.
  mutating func networkIsBack() -> [Effect] {
    shown.error != nil && isUsed && running == nil ? start() : []
  }

  /// Records the end of a run.
  mutating func end(_ run: Run, _ result: Result<Value, any Error>) -> [Effect] {
    guard run == running else { return [] }
    running = nil
    leavesAt = nil
    shown.isRefreshing = false
    switch result {
    case .success(let value): (shown.value, shown.error) = (value, nil)
    case .failure(let error) where error.isCancellation: break
    case .failure(let error): shown.error = error
    }
    return [.resume(run)]
  }

  private mutating func start() -> [Effect] {
    lastRun += 1
    running = lastRun
    shown.isRefreshing = true
    return [.start(lastRun)]
  }

  private mutating func cancel(_ run: Run) -> [Effect] {
    running = nil
    leavesAt = nil
    shown.isRefreshing = false
    return [.cancel(run), .resume(run)]
  }
}

/// The state of a value that is loaded for a view: the value, an error, and whether a request is in progress.
public struct Loading<Value> {
  /// The newest value; nil before the first. It stays while a new one is loading, and when that fails.
  public internal(set) var value: Value?
  /// The error of the last request; nil if it succeeded. A cancelled request does not change it.
  public internal(set) var error: (any Error)?
  /// True while a request is in progress, or about to begin.
  public internal(set) var isRefreshing = false
}

extension Loading: Sendable where Value: Sendable {}
