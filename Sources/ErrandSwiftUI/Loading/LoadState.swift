import ErrandCore

/// Decides when what several views show under one key is loaded, and what they show meanwhile. Pure: the time is a
/// parameter.
///
/// The old value stays while a new one comes. A cancellation is no error. A run that another overtook changes nothing.
struct LoadState<Value> {
  typealias User = Int
  typealias Run = Int

  enum Effect: Equatable {
    /// A request is sent for this run.
    case start(Run)
    /// The request of this run is cancelled.
    case cancel(Run)
    /// The request is put behind those of visible views, or gets its own priority back.
    case lower(Run)
    case restore(Run)
    /// `ring` is to be called then.
    case wake(at: Duration)
    /// The callers of `refresh` that wait for this run go on.
    case resume(Run)
  }

  private(set) var shown = Loading<Value>(isRefreshing: true)
  /// The run that is under way.
  private(set) var running: Run?
  private let grace: Duration
  private var users: Set<User> = []
  private var lastRun = 0
  private var leavesAt: Duration?

  init(grace: Duration) { self.grace = max(.zero, grace) }

  var isUsed: Bool { !users.isEmpty }

  /// Takes note of a view that shows it: it is loaded, unless it is here or under way.
  mutating func appear(_ user: User) -> [Effect] {
    let isFirst = users.isEmpty
    users.insert(user)
    if let running {
      guard leavesAt != nil else { return [] }
      leavesAt = nil
      return [.restore(running)]
    }
    // One that is not alone sees what the others see.
    return isFirst || shown.value == nil && shown.error == nil ? start() : []
  }

  /// Takes note of a view that has disappeared. When the last has, the request is lowered, and cancelled after the grace.
  /// - Parameter isFinal: True if it shows something else now, so that it will not come back.
  mutating func disappear(_ user: User, isFinal: Bool, at now: Duration) -> [Effect] {
    guard users.remove(user) != nil, users.isEmpty, let running else { return [] }
    if isFinal { return cancel(running) }
    leavesAt = now + grace
    return [.lower(running), .wake(at: now + grace)]
  }

  /// Handles a time that `wake` named.
  mutating func ring(at now: Duration) -> [Effect] {
    guard let leavesAt, now >= leavesAt, users.isEmpty, let running else { return [] }
    return cancel(running)
  }

  /// Loads again, unless a request is under way already.
  mutating func refresh() -> [Effect] { running == nil ? start() : [] }

  /// Takes note that the network is back: what failed is loaded again.
  mutating func networkIsBack() -> [Effect] {
    shown.error != nil && isUsed && running == nil ? start() : []
  }

  /// Takes note of a run's end.
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

/// What a view knows of something that is loaded: the value, an error and whether a request is under way, side by side.
public struct Loading<Value> {
  /// The newest value; nil before the first. It stays while a new one comes, and when that fails.
  public internal(set) var value: Value?
  /// Why the last request failed; nil if it succeeded. A request that was cancelled leaves it as it was.
  public internal(set) var error: (any Error)?
  /// True while a request is under way, or about to begin.
  public internal(set) var isRefreshing = false
}

extension Loading: Sendable where Value: Sendable {}
