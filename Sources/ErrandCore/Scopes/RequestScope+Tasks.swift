extension RequestScope {
  /// Puts a task into the scope: it is cancelled if the scope ends, at once if it has. It leaves by itself when it has
  /// ended.
  /// - Returns: To leave with before that.
  @discardableResult
  public func insert<Success, Failure>(_ task: Task<Success, Failure>) -> ScopeMembership {
    let membership = onEnd { task.cancel() }
    if membership.isEntered {
      Task.detached(priority: .utility) {
        _ = await task.result
        membership.leave()
      }
    }
    return membership
  }

  /// Starts a task in the scope: it is cancelled if the scope ends, from its beginning if it has. It runs where the call was
  /// formed, as `Task`'s own do.
  ///
  /// The work holds whatever it captures until it is over. If that is the scope's owner, capture it weakly and take hold of
  /// it after the wait, not before: see `RequestOwner`.
  @discardableResult
  public func task<Success: Sendable>(
    priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Success
  ) -> Task<Success, any Error> {
    let signal = StopSignal()
    let membership = try? enter(signal)
    let task = Task(priority: priority) {
      defer { membership?.leave() }
      if membership == nil { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      return try await operation()
    }
    if membership != nil { _ = signal.onStop { task.cancel() } }
    return task
  }
}
