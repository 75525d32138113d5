extension RequestScope {
  /// Puts a task into the scope: the task is cancelled when the scope ends, or at once if it has ended. The
  /// task leaves the scope when it has finished.
  /// - Returns: The membership, to leave with before that.
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

  /// Starts a task in the scope: the task is cancelled when the scope ends, or from its beginning if it has
  /// ended. It inherits the caller's actor, as `Task` does.
  ///
  /// The operation holds its captures until it is finished. If it uses the scope's owner, capture the owner
  /// weakly and use it after the wait, not before: see `RequestOwner`.
  @discardableResult
  public func task<Success: Sendable>(
    priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async throws -> Success
  ) -> Task<Success, any Error> {
    let cancellation = CancellationToken()
    let membership = try? enter(cancellation)
    let task = Task(priority: priority) {
      defer { membership?.leave() }
      if membership == nil { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      return try await operation()
    }
    if membership != nil { _ = cancellation.onCancel { task.cancel() } }
    return task
  }
}
