/// The validations that are under way, so that requests for the same one wait for it.
final class Validations: Sendable {
  private let running = Locked<[CacheKey: Promise<Void>]>([:])

  /// Begins a validation, unless one is under way.
  /// - Returns: The end of the one that is under way; nil if the caller has begun one, and must end it.
  func begin(_ key: CacheKey) -> Promise<Void>? {
    running.withLock { running in
      if let promise = running[key] { return promise }
      running[key] = Promise()
      return nil
    }
  }

  func end(_ key: CacheKey) {
    running.withLock { $0.removeValue(forKey: key) }?.settle(.success(()))
  }
}

/// The URLs that unsafe requests have changed, so that a response that was requested before is not stored after.
final class ChangeLog: Sendable {
  private struct State {
    var last = 0
    var changes: [CacheKey: Int] = [:]
    /// All URLs count as changed then.
    var floor = 0
  }

  /// The number of remembered changes. When it is reached, all are forgotten, and every URL counts as changed.
  private static let mostChanges = 1000

  private let state = Locked(State())

  /// The present moment, for `isChanged`.
  var now: Int { state.withLock { $0.last } }

  /// Notes a change. Call it before the stored responses of the URL are removed.
  func note(_ key: CacheKey) {
    state.withLock { state in
      state.last += 1
      if state.changes.count >= Self.mostChanges {
        state.changes = [:]
        state.floor = state.last
      }
      state.changes[key] = state.last
    }
  }

  /// Returns true if the URL has changed since a moment.
  func isChanged(_ key: CacheKey, since moment: Int) -> Bool {
    state.withLock { max($0.floor, $0.changes[key] ?? 0) > moment }
  }
}
