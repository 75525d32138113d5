import ErrandCore

/// Holds the network status: a monitor sets it, and followers read it or wait for the next one.
package final class NetworkBoard: Sendable {
  package typealias Tell = @Sendable (NetworkStatus) -> Void
  /// Begins to watch, and goes on until the returned object is released; nil if the network cannot be
  /// watched.
  package typealias Watcher = @Sendable (_ tell: @escaping Tell) -> (any AnyObject & Sendable)?

  private typealias Follower = CheckedContinuation<NetworkStatus?, Never>

  private enum Watch {
    case toBegin(Watcher)
    case begun((any AnyObject & Sendable)?)
  }

  private struct State {
    var status: NetworkStatus
    /// The followers that wait for the next status; nil for one that is about to wait.
    var followers: [UInt64: Follower?] = [:]
    var lastFollower: UInt64 = 0
  }

  private let watch: Locked<Watch>
  private let state: Locked<State>

  /// Makes a board whose status is set from outside.
  package init(_ status: NetworkStatus) {
    watch = Locked(.begun(nil))
    state = Locked(State(status: status))
  }

  /// Makes a board whose status is set by a watcher, from the first use until the board is released.
  package init(_ watcher: @escaping Watcher) {
    watch = Locked(.toBegin(watcher))
    state = Locked(State(status: .unknown))
  }

  package var current: NetworkStatus {
    beginWatching()
    return state.withLock { $0.status }
  }

  package func set(_ status: NetworkStatus) {
    let followers: [Follower] = state.withLock { state in
      guard state.status != status else { return [] }
      state.status = status
      let waiting = state.followers.compactMapValues { $0 }
      for id in waiting.keys { state.followers[id] = nil }
      return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for follower in followers { follower.resume(returning: status) }
  }

  /// Returns the status once it differs from `seen`; nil if the task is cancelled.
  package func next(after seen: NetworkStatus?) async -> NetworkStatus? {
    if Task.isCancelled { return nil }
    beginWatching()
    let id = state.withLock { state in
      state.lastFollower += 1
      state.followers[state.lastFollower] = .some(nil)
      return state.lastFollower
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(id, $0, after: seen) }
    } onCancel: {
      leave(id)
    }
  }

  private func wait(_ id: UInt64, _ follower: Follower, after seen: NetworkStatus?) {
    let response: NetworkStatus?? = state.withLock { state in
      // The task was cancelled.
      guard state.followers[id] != nil else { return .some(nil) }
      if state.status == seen {
        state.followers[id] = follower
        return nil
      }
      state.followers[id] = nil
      return state.status
    }
    if let response { follower.resume(returning: response) }
  }

  private func leave(_ id: UInt64) {
    let follower: Follower? = state.withLock { $0.followers.removeValue(forKey: id) ?? nil }
    follower?.resume(returning: nil)
  }

  /// Starts the watcher on the first use. A second caller waits until the first dump is done, so that it does
  /// not read an older status. The watcher sets the status under this lock, which is safe: there are no
  /// followers yet to resume.
  private func beginWatching() {
    watch.withLock { watch in
      guard case .toBegin(let watcher) = watch else { return }
      watch = .begun(watcher { [weak self] status in self?.set(status) })
    }
  }
}
