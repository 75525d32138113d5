import ErrandCore

/// Carries out the decisions of `HandoverState`.
extension BackgroundDelivery {
  func carryOut(_ effect: HandoverState.Effect) {
    switch effect {
    case .open: open()
    case .claim(let limit): Task { await claim(limit) }
    case .mark(let lease): Task { await mark(lease) }
    case .resume(let task): session.resume(task: task)
    case .cancel(let task): session.cancel(task: task)
    case .record(let lease, _): Task { await record(lease) }
    case .settle:
      Task {
        try? await timeline.sleep(configuration.settlesAfter)
        let tasks = await session.tasks()
        apply { $0.handover.settled(tasks: tasks) }
      }
    case .rest: rest()
    }
  }

  // MARK: The store

  private func open() {
    let opening = state.withLock { $0.openings }
    inTurn { delivery in await delivery.open(opening) }
  }

  private func open(_ opening: Int) async {
    guard state.withLock({ $0.openings == opening }) else { return }
    do {
      state.withLock { $0.isSuspended = false }
      try await store.resume()
      let rows = try await store.handed(to: session.identifier)
      let tasks = await session.tasks()
      let busy = state.withLock { Set($0.handover.requests.keys) }
      await files.sweep(keeping: busy.union(rows).union(tasks.compactMap(\.lease)))
      apply { state in state.openings == opening ? state.handover.opened(rows: rows, tasks: tasks) : [] }
      if state.withLock({ $0.isForeground == true }) { outbox.dispatcher.resume() }
    } catch {
      if endIfClosed(error) { return }
      Task {
        try? await timeline.sleep(Self.pause)
        inTurn { delivery in await delivery.open(opening) }
      }
    }
  }

  /// The pause before the store is used again after it failed.
  static let pause = Duration.seconds(1)

  private func rest() {
    inTurn { delivery in
      if delivery.state.withLock({ $0.handover.mode == .asleep }) {
        // The store may have been opened again by now. A later turn does that.
        guard delivery.state.withLock({ $0.handover.phase == .closed }) else { return }
        await delivery.store.suspend()
        delivery.state.withLock { $0.isSuspended = true }
      }
      let waiters = delivery.state.withLock { state in
        defer { state.waiters = [:] }
        return Array(state.waiters.values)
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Ends everything if the outbox was closed.
  /// - Returns: True if it was.
  func endIfClosed(_ error: any Error) -> Bool {
    outbox.configuration.report(error)
    guard (error as? OutboxError)?.code == .closed else { return false }
    let waiters = state.withLock { state in
      defer { (state.isClosed, state.waiters) = (true, [:]) }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
    return true
  }

  // MARK: Handing over

  private func claim(_ limit: Int) async {
    do {
      let claim = try await store.claim(bounds(limit), for: outbox.configuration.lease)
      outbox.hub.publish(claim.changed)
      apply { $0.handover.claimed(claim.rows.map(\.lease), isMore: claim.next == .zero) }
      for row in claim.rows where stage(of: row.lease) == .preparing { Task { await prepare(row) } }
    } catch {
      if endIfClosed(error) { return }
      // The requests are claimed when the app runs again.
      apply { $0.handover.claimed([], isMore: false) }
    }
  }

  private func bounds(_ limit: Int) -> ClaimBounds {
    let delivery = outbox.configuration.delivery
    var bounds = ClaimBounds(limit)
    bounds.maxAttempts = delivery.maxAttempts
    bounds.backoff = delivery.backoff
    bounds.maxBackoff = delivery.maxBackoff
    let (handsOverOnlyDue, passed) = state.withLock { ($0.handsOverOnlyDue, $0.passedLanes) }
    bounds.horizon = handsOverOnlyDue ? .zero : configuration.horizon
    bounds.passedLanes = passed
    return bounds
  }

  private func stage(of lease: Lease) -> HandoverState.Stage? {
    state.withLock { $0.handover.requests[lease] }
  }

  private func prepare(_ row: ClaimedRow) async {
    let constraints = row.row.lane.map(configuration.constraints) ?? .none
    guard constraints.allowsHandover(isCharging: configuration.isCharging()) else {
      return apply { state in
        if let lane = row.row.lane { state.passedLanes.insert(ExactBytes(lane)) }
        return state.failed(row.lease, .cancelled(hasBegun: false))
      }
    }
    do {
      let request = try outbox.storage.request(of: row)
      let priority = Priority(rawValue: UInt8(clamping: row.row.priority))
      let prepared = try await outbox.dispatcher.client.prepare(
        outbox.dispatcher.request(request, priority: priority, deadline: row.timeLeft)
      ) { [self] exchange in
        try await upload(exchange.request, row, constraints)
      }
      switch prepared {
      case .taken(let upload):
        // The app may have run out of time, and then the file with the body is removed.
        guard stage(of: row.lease) == .preparing else { return await files.remove(row.lease) }
        let task = try await session.makeTask(upload)
        apply { $0.handover.prepared(row.lease, task: task) }
      case .response(let response): keep(.success(response), of: row.lease)
      }
    } catch {
      keep(.failure(error), of: row.lease)
    }
  }

  private func upload(
    _ request: Exchange.Request, _ row: ClaimedRow, _ constraints: LaneConstraints
  ) async throws -> SessionUpload {
    let body = try await files.write(request.upload, for: row.lease)
    return SessionUpload(
      lease: row.lease, method: request.method, url: request.url, fields: request.fields, file: body?.file,
      length: body?.length ?? 0, wait: row.wait, constraints: constraints,
      responseLimit: outbox.configuration.memoryLimit)
  }

  /// Notes the end of an attempt that was not handed over.
  private func keep(_ result: Result<Response, any Error>, of lease: Lease) {
    apply { state in
      if case .failure = result { state.handsOverOnlyDue = true }
      // The app ran out of time, and the store has the row back.
      guard state.handover.requests[lease] == .preparing else { return [] }
      state.keep(.known(result), of: lease)
      return state.failed(lease, .finished)
    }
  }

  private func mark(_ lease: Lease) async {
    var isDone = false
    do {
      isDone = try await store.hand([lease], to: session.identifier).isEmpty
      if isDone { outbox.hub.publish(try await store.rows([lease.id]).compactMap { $0 }) }
    } catch {
      if endIfClosed(error) { return }
    }
    apply { [isDone] state in state.handover.marked(lease, isDone: isDone) }
  }
}

extension BackgroundDelivery.State {
  /// Ends a request that is being prepared. A request that the store has back already is left.
  fileprivate mutating func failed(_ lease: Lease, _ end: HandedEnd) -> [HandoverState.Effect] {
    handover.requests[lease] == .preparing ? handover.ended(lease, end) : []
  }
}
