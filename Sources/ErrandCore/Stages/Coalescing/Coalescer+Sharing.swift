extension Coalescer {
  /// Returns the response that all callers with this key share. The first caller starts the in-flight request
  /// in a separate task. Every caller waits. A caller whose `cancellation` is cancelled leaves at once, and
  /// the others stay.
  /// - Parameters:
  ///   - effectivePriority: The caller's priority. While the caller waits, the in-flight request has at least
  ///     this priority.
  ///   - isWatched: True if a watch limits how long interceptors hold the in-flight request.
  ///   - progress: Follows the in-flight request's progress until this caller has an outcome.
  ///   - send: Does the work, and ends when the in-flight request's token is cancelled.
  /// - Throws: The reason why this caller was cancelled, or the error of `send`; `WaitsForItself` if the
  ///   caller must send a separate request.
  func share(
    _ key: RequestKey, _ policy: SharingPolicy, effectivePriority: EffectivePriority,
    of cancellation: CancellationToken, isWatched: Bool = false,
    progress: ProgressHub? = nil, events: CallEvents? = nil,
    _ send: @escaping @Sendable (InFlightRequest) async throws -> Value
  ) async throws -> Value {
    try cancellation.check()
    var registration: Registration?
    defer {
      registration?.leave(effectivePriority, cancellation)
      if let events, let id = registration?.inFlightRequest.id { events.tell(.waited(.sharedResponse(id))) }
    }
    return try await withCheckedThrowingContinuation { caller in
      registration = join(
        key, caller, policy, effectivePriority, cancellation, isWatched, progress, events, send)
    }
  }

  private typealias Sharing = ShareState<Value, InFlightRequest, CoalescingStates<Value>.Caller>

  /// The registrations of a waiting caller, which are removed when it leaves.
  private struct Registration {
    let inFlightRequest: InFlightRequest
    let listener: ProgressHub.ListenerID?
    let raise: EffectivePriority.HandlerID?
    let stop: CancelHandlerID
    let wait: InFlightRequest.Wait?

    @inline(never)
    func leave(_ effectivePriority: EffectivePriority, _ cancellation: CancellationToken) {
      wait?.end()
      cancellation.removeCancelHandler(stop)
      if let raise { effectivePriority.removeChangeHandler(raise) }
      if let listener { inFlightRequest.progress.stopListening(listener) }
    }
  }

  // A separate function from `share`, so that a waiting caller reserves no stack space for its variables.
  @inline(never)
  private func join(
    _ key: RequestKey, _ caller: CoalescingStates<Value>.Caller, _ policy: SharingPolicy,
    _ effectivePriority: EffectivePriority,
    _ cancellation: CancellationToken, _ isWatched: Bool, _ progress: ProgressHub?, _ events: CallEvents?,
    _ send: @escaping @Sendable (InFlightRequest) async throws -> Value
  ) -> Registration? {
    let now = timeline.now()
    let priority = effectivePriority.current
    let joining = states.sharing.withLock { state in
      state.join(key, caller, policy, priority: priority, at: now) {
        InFlightRequest(priority: priority, isWatched: isWatched)
      }
    }
    switch joining {
    case .response(let outcome):
      events?.tell(.coalesced(with: 0))
      caller.resume(with: outcome)
      return nil
    case .join(let place, let inFlightRequest, let raise):
      let wait: InFlightRequest.Wait?
      do { wait = try InFlightRequest.wait(for: inFlightRequest) } catch {
        leave(place, because: error)
        return nil
      }
      events?.shares(inFlightRequest.id, isFirst: false)
      raise?.apply()
      inFlightRequest.joined?.settle(.success(()))
      return take(place, priority, inFlightRequest, effectivePriority, cancellation, progress, wait)
    case .lead(let place, let inFlightRequest):
      events?.shares(inFlightRequest.id, isFirst: true)
      // A new in-flight request waits for nothing, so this cannot throw.
      let registration = take(
        place, priority, inFlightRequest, effectivePriority, cancellation, progress,
        try? InFlightRequest.wait(for: inFlightRequest))
      start(inFlightRequest, place.inFlightRequest, send)
      return registration
    }
  }

  private func take(
    _ place: Sharing.Place, _ priority: Priority, _ inFlightRequest: InFlightRequest,
    _ effectivePriority: EffectivePriority, _ cancellation: CancellationToken, _ progress: ProgressHub?,
    _ wait: InFlightRequest.Wait?
  ) -> Registration {
    let listener = progress.map { progress in inFlightRequest.progress.listen { progress.follow($0) } }
    if effectivePriority.goesWithoutSlot { inFlightRequest.effectivePriority.goWithoutSlot() }
    var raise: EffectivePriority.HandlerID?
    if effectivePriority.canChange {
      let follow = { @Sendable [states] in
        if effectivePriority.goesWithoutSlot { inFlightRequest.effectivePriority.goWithoutSlot() }
        // Read under the lock: if there are several changes, the last one counts.
        states.sharing.withLock { $0.change(place, to: effectivePriority.current) }?.apply()
      }
      raise = effectivePriority.onChange { _ in follow() }
      // The priority may have changed just before the handler was added.
      if effectivePriority.current != priority { follow() }
    }
    // An in-flight request is cancelled together with its last caller. Otherwise, it could take a slot that
    // another request, cancelled at the same time, releases.
    let stop = cancellation.onCancel(preparing: { [states] stop in
      guard case .left(let caller, let abandoned, let level) = states.sharing.withLock({ $0.leave(place) })
      else { return [] }
      let tells = abandoned?.cancellation.prepareCancel(.cancelled(.abandoned)) ?? []
      // A cancelled caller waits for nothing else, not even for the end of the in-flight request.
      let error = stop.error(reachedServer: inFlightRequest.cancellation.mayHaveSent)
      return [
        {
          level?.apply()
          caller.resume(throwing: error)
        }
      ] + tells
    })
    return Registration(
      inFlightRequest: inFlightRequest, listener: listener, raise: raise, stop: stop, wait: wait)
  }

  /// Removes a caller that has joined, unless it already has its outcome.
  private func leave(_ place: Sharing.Place, because error: any Error) {
    guard case .left(let caller, let abandoned, let level) = states.sharing.withLock({ $0.leave(place) })
    else { return }
    level?.apply()
    abandoned?.cancellation.cancel(.cancelled(.abandoned))
    caller.resume(throwing: error)
  }

  private func start(
    _ inFlightRequest: InFlightRequest, _ id: Sharing.InFlightID,
    _ send: @escaping @Sendable (InFlightRequest) async throws -> Value
  ) {
    // An immediate task costs a quarter of a scheduled one (measured).
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate { await work(inFlightRequest, id, send) }
    } else {
      Task { await work(inFlightRequest, id, send) }
    }
  }

  // Inlined, which saves the task an asynchronous function.
  @inline(__always)
  private func work(
    _ inFlightRequest: InFlightRequest, _ id: Sharing.InFlightID,
    _ send: @escaping @Sendable (InFlightRequest) async throws -> Value
  ) async {
    do {
      // The only caller may have left already.
      try inFlightRequest.cancellation.check()
      let response = try await InFlightRequest.$own.withValue(inFlightRequest) {
        try await send(inFlightRequest)
      }
      finish(id, .success(response))
    } catch {
      finish(id, .failure(error))
    }
  }

  private func finish(_ inFlightRequest: Sharing.InFlightID, _ outcome: Result<Value, any Error>) {
    let now = timeline.now()
    let isKept = mayReplay(outcome)
    let finishing = states.sharing.withLock { $0.finish(inFlightRequest, outcome, isKept: isKept, at: now) }
    for caller in finishing.callers { caller.resume(with: outcome) }
    wake(at: finishing.timer)
  }
}

extension ShareState.Level where InFlightRequest == ErrandCore.InFlightRequest {
  @Sendable func apply() { inFlightRequest.effectivePriority.set(to: priority, number: number) }
}
