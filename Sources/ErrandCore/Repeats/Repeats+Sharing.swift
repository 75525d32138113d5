extension Repeats {
  /// Gets the answer that all callers with this key share. Whoever comes first starts the flight, in a task of its own;
  /// everyone waits, and leaves at once, alone, when their own `signal` is stopped.
  /// - Parameters:
  ///   - urgency: The caller's. While the caller waits, the flight is at least as urgent.
  ///   - progress: Follows the flight's, until this caller has an outcome.
  ///   - fly: Does the work, and ends when the flight's own signal is stopped.
  /// - Throws: Why this caller was called off, or what `fly` threw; `WaitsForItself` if the caller must go on alone.
  func share(
    _ key: RequestKey, _ policy: SharingPolicy, urgency: Urgency, of signal: StopSignal,
    progress: ProgressHub? = nil, _ fly: @escaping @Sendable (Flight) async throws -> Answer
  ) async throws -> Answer {
    try signal.check()
    var seat: Seat?
    defer { seat?.leave(urgency, signal) }
    return try await withCheckedThrowingContinuation { caller in
      seat = join(key, caller, policy, urgency, signal, progress, fly)
    }
  }

  private typealias Sharing = ShareState<Answer, Flight, RepeatStates<Answer>.Caller>

  /// What a caller who waits is told of, and tells.
  private struct Seat {
    let flight: Flight
    let listener: ProgressHub.ListenerID?
    let raise: Urgency.HandlerID?
    let stop: CancelHandlerID
    let wait: Flight.Wait?

    @inline(never)
    func leave(_ urgency: Urgency, _ signal: StopSignal) {
      wait?.end()
      signal.removeStopHandler(stop)
      if let raise { urgency.removeRaiseHandler(raise) }
      if let listener { flight.progress.stopListening(listener) }
    }
  }

  // Apart from `share`, so that who waits keeps no room for what this needs.
  @inline(never)
  private func join(
    _ key: RequestKey, _ caller: RepeatStates<Answer>.Caller, _ policy: SharingPolicy, _ urgency: Urgency,
    _ signal: StopSignal, _ progress: ProgressHub?, _ fly: @escaping @Sendable (Flight) async throws -> Answer
  ) -> Seat? {
    let now = timeline.now()
    let priority = urgency.current
    let joining = states.sharing.withLock { state in
      state.join(key, caller, policy, priority: priority, at: now) { Flight(priority: priority) }
    }
    switch joining {
    case .answer(let outcome):
      caller.resume(with: outcome)
      return nil
    case .join(let place, let flight, let raise):
      let wait: Flight.Wait?
      do { wait = try Flight.wait(for: flight) } catch {
        leave(place, because: error)
        return nil
      }
      if let raise { flight.urgency.raise(to: raise) }
      flight.joined.settle(.success(()))
      return take(place, flight, urgency, signal, progress, wait)
    case .lead(let place, let flight):
      // A new one waits for nothing.
      let seat = take(place, flight, urgency, signal, progress, try? Flight.wait(for: flight))
      start(flight, place.flight, fly)
      return seat
    }
  }

  private func take(
    _ place: Sharing.Place, _ flight: Flight, _ urgency: Urgency, _ signal: StopSignal,
    _ progress: ProgressHub?, _ wait: Flight.Wait?
  ) -> Seat {
    let listener = progress.map { progress in flight.progress.listen { progress.follow($0) } }
    var raise: Urgency.HandlerID?
    if urgency.canRise { raise = urgency.onRaise { _ in flight.urgency.rise(with: urgency) } }
    // It may have risen just before it was listened to.
    flight.urgency.rise(with: urgency)
    // The flight that nobody waits for any more ends together with its last caller, so that it takes nothing that others
    // give up who end at the same time.
    let stop = signal.onStop(preparing: { [states] stop in
      guard case .left(let caller, let abandoned) = states.sharing.withLock({ $0.leave(place) }) else {
        return []
      }
      let tells = abandoned?.signal.prepareStop(.cancelled(.abandoned)) ?? []
      // Whoever is stopped waits for nothing else, not even for the flight's end.
      return [{ caller.resume(throwing: stop.error) }] + tells
    })
    return Seat(flight: flight, listener: listener, raise: raise, stop: stop, wait: wait)
  }

  /// Takes a caller out again who has joined, unless it has its outcome already.
  private func leave(_ place: Sharing.Place, because error: any Error) {
    guard case .left(let caller, let abandoned) = states.sharing.withLock({ $0.leave(place) }) else { return }
    abandoned?.signal.stop(.cancelled(.abandoned))
    caller.resume(throwing: error)
  }

  private func start(
    _ flight: Flight, _ id: Sharing.FlightID, _ fly: @escaping @Sendable (Flight) async throws -> Answer
  ) {
    let work: @Sendable () async -> Void = {
      do {
        // Its only caller may have left already.
        try flight.signal.check()
        let answer = try await Flight.$own.withValue(flight) { try await fly(flight) }
        self.finish(id, .success(answer))
      } catch {
        self.finish(id, .failure(error))
      }
    }
    // It costs a quarter of a task that has to be scheduled.
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate { await work() }
    } else {
      Task { await work() }
    }
  }

  private func finish(_ flight: Sharing.FlightID, _ outcome: Result<Answer, any Error>) {
    let now = timeline.now()
    let isKept = mayReplay(outcome)
    let finishing = states.sharing.withLock { $0.finish(flight, outcome, isKept: isKept, at: now) }
    for caller in finishing.callers.values { caller.resume(with: outcome) }
    wake(at: finishing.alarm)
  }
}
