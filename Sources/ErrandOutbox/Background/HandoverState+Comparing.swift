/// Compares the store with the session whenever the app begins to run.
extension HandoverState {
  /// Compares the requests that the session has according to the store with the session's tasks.
  mutating func opened(rows: [Lease], tasks: [SessionTask]) -> [Effect] {
    guard phase == .opening else { return [] }
    phase = .open
    known = []
    wantsClaim = true
    var effects: [Effect] = []
    for lease in rows where requests[lease] == nil { requests[lease] = .unaccounted }
    effects += place(tasks)
    for (lease, end) in early.sorted(by: { $0.key.number < $1.key.number }) {
      early[lease] = nil
      effects += self.end(lease, end)
    }
    if requests.values.contains(.unaccounted) { effects.append(.settle) }
    return effects + next()
  }

  /// Compares the session's tasks with the expected ones, from time to time while the app runs.
  mutating func checked(tasks: [SessionTask]) -> [Effect] {
    guard phase == .open else { return [] }
    let listed = Set(tasks.map(\.number))
    var isAnyMissing = false
    for (lease, stage) in requests {
      guard case .underWay(let task) = stage, !listed.contains(task) else { continue }
      requests[lease] = .unaccounted
      isAnyMissing = true
    }
    return (isAnyMissing ? [.settle] : []) + next()
  }

  /// Compares once more. Requests that still have no task are lost.
  mutating func settled(tasks: [SessionTask]) -> [Effect] {
    guard phase == .open else { return [] }
    var effects = place(tasks)
    for (lease, stage) in requests.sorted(by: { $0.key.number < $1.key.number }) where stage == .unaccounted {
      effects += end(lease, .lost)
    }
    return effects + next()
  }

  /// Finds the request of each task, and cancels tasks that belong to no request.
  private mutating func place(_ tasks: [SessionTask]) -> [Effect] {
    var effects: [Effect] = []
    // If a request has two tasks, the one with more progress is kept.
    for task in tasks.sorted(by: { ($1.progress, $0.number) < ($0.progress, $1.number) }) {
      switch task.lease.flatMap({ requests[$0] }) {
      case .unaccounted:
        guard let lease = task.lease else { continue }
        requests[lease] = .underWay(task: task.number)
        if mode == .awake, task.progress <= .waiting {
          effects.append(.cancel(task: task.number))
        } else if task.progress == .suspended {
          effects.append(.resume(task: task.number))
        }
      case .marking(task.number), .underWay(task.number), .preparing, .recording: break
      case .marking, .underWay, nil:
        if task.progress != .ended { effects.append(.cancel(task: task.number)) }
      }
    }
    return effects
  }
}
