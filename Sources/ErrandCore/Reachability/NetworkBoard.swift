/// Where a monitor writes its status, and those who follow it read.
package final class NetworkBoard: Sendable {
  package typealias Tell = @Sendable (NetworkStatus) -> Void
  /// Begins to watch, and goes on until what it returns is let go; nil: the network cannot be watched.
  package typealias Watcher = @Sendable (_ tell: @escaping Tell) -> (any AnyObject & Sendable)?

  private typealias Follower = CheckedContinuation<NetworkStatus?, Never>

  private enum Watch {
    case toBegin(Watcher)
    case begun((any AnyObject & Sendable)?)
  }

  private struct State {
    var status: NetworkStatus
    /// Those who wait for the next status; nil for one who is about to.
    var followers: [UInt64: Follower?] = [:]
    var lastFollower: UInt64 = 0
  }

  private let watch: Locked<Watch>
  private let state: Locked<State>

  /// A board that is written by whoever has it.
  package init(_ status: NetworkStatus) {
    watch = Locked(.begun(nil))
    state = Locked(State(status: status))
  }

  /// A board that is written by a watcher, from its first use until it is let go.
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

  /// Returns the status when it is not the one that was seen last; nil if the task is cancelled.
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
    let answer: NetworkStatus?? = state.withLock { state in
      // It has been cancelled.
      guard state.followers[id] != nil else { return .some(nil) }
      if state.status == seen {
        state.followers[id] = follower
        return nil
      }
      state.followers[id] = nil
      return state.status
    }
    if let answer { follower.resume(returning: answer) }
  }

  private func leave(_ id: UInt64) {
    let follower: Follower? = state.withLock { $0.followers.removeValue(forKey: id) ?? nil }
    follower?.resume(returning: nil)
  }

  /// Whoever comes second waits until the first look has been taken, or they would be told less. That look tells the
  /// board under this lock; nobody can follow the board before, so nobody is resumed under it.
  private func beginWatching() {
    watch.withLock { watch in
      guard case .toBegin(let watcher) = watch else { return }
      watch = .begun(watcher { [weak self] status in self?.set(status) })
    }
  }
}
