import ErrandCore

/// Delivers an outbox's requests while the app is asleep. It hands them over to a background session of the
/// system, and takes them back when the app runs. `HandoverState` decides, and this class carries it out.
///
/// ```swift
/// let delivery = try outbox.deliverInBackground(session)
/// delivery.enterForeground()          // the scene became active
/// await delivery.enterBackground()    // it went to the background: keep the app awake until this returns
/// await delivery.handleEvents()       // the system woke the app for the session: then call its handler
/// ```
///
/// A request that was handed over is sent at least once, with the same idempotency key as before. The same
/// rules as for any attempt decide about its response. Keep this object as long as the outbox.
public final class BackgroundDelivery: Sendable {
  let outbox: Outbox
  let store: any HandoverStore
  let session: any BackgroundSession
  let configuration: BackgroundConfiguration
  let files: HandoverFiles
  let timeline: Timeline
  let state: Locked<State>
  private let watch = Locked<Task<Void, Never>?>(nil)

  init(
    _ outbox: Outbox, _ store: any HandoverStore, _ session: any BackgroundSession,
    _ configuration: BackgroundConfiguration
  ) {
    self.outbox = outbox
    self.store = store
    self.session = session
    self.configuration = configuration
    files = HandoverFiles(in: outbox.storage.spool.outbox, work: outbox.configuration.fileWork)
    timeline = outbox.dispatcher.timeline
    state = Locked(State(handover: HandoverState(limit: configuration.limit)))
    session.onEvent { [weak self] event in self?.take(event) }
  }

  deinit { watch.withLock { $0 }?.cancel() }

  // MARK: The app

  /// Notes that the app has come to the foreground: the outbox sends requests itself, and takes back requests
  /// that the session has not begun to send. Returns at once.
  public func enterForeground() {
    let isOpen = state.withLock { state in
      (state.isForeground, state.isDrained) = (true, false)
      return state.handover.phase == .open
    }
    // The app has come back before the store was closed: attempts in flight continue.
    if isOpen { outbox.dispatcher.resume() }
    apply { state in
      state.forget()
      return state.handover.wake()
    }
    watchSession()
  }

  /// Notes that the app has gone to the background, or that the system runs it there for a while. The outbox
  /// itself sends nothing any more, and hands over as many requests as it can. Returns when the app may be
  /// suspended: the process holds no lock, and no work is left. Request background time from the system
  /// (`beginBackgroundTask`) before the call, and end it afterwards.
  ///
  /// Requests that cannot be handed over in time, or before the task is cancelled, stay in the outbox.
  /// - Parameter limit: The longest duration of the call. Half of it is for requests in flight. Default: 20
  ///   s.
  public func enterBackground(within limit: Duration = .seconds(20)) async {
    state.withLock { ($0.isForeground, $0.isDrained) = (false, false) }
    await finish(within: limit) { $0.handover.sleep() }
  }

  /// Does the same as `enterBackground`, unless the app is in the foreground: for a run that the system has
  /// begun.
  func runInBackground() async {
    if state.withLock({ $0.isForeground == true }) { return }
    await enterBackground()
  }

  /// Records the ends for which the system woke the app, and hands over the next requests. Returns when the
  /// ends are recorded. Unless the app is in the foreground, it also waits until the app may be suspended.
  /// After that, call the completion handler of `handleEventsForBackgroundURLSession`.
  /// - Parameter limit: The longest duration of the call. Default: 20 s.
  public func handleEvents(within limit: Duration = .seconds(20)) async {
    let isForeground = state.withLock { $0.isForeground == true }
    await finish(within: limit) { state in
      if !state.isDrained { state.handover.awaitEvents() }
      state.isDrained = false
      return isForeground ? state.handover.wake() : state.handover.sleep()
    }
  }

  /// True if the app may be suspended: the store is closed, and no work is left.
  package var mayBeSuspended: Bool { state.withLock { $0.handover.mayBeSuspended && $0.isSuspended } }

  private func finish(
    within limit: Duration, _ change: @escaping @Sendable (inout State) -> [HandoverState.Effect]
  ) async {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let timer = Task {
      try await timeline.sleep(limit)
      hurry(number)
    }
    await withTaskCancellationHandler {
      await finish(number, within: limit, change)
    } onCancel: {
      hurry(number)
    }
    timer.cancel()
    state.withLock { _ = $0.late.remove(number) }
  }

  private func finish(
    _ number: Int, within limit: Duration,
    _ change: @escaping @Sendable (inout State) -> [HandoverState.Effect]
  ) async {
    let isForeground = state.withLock { $0.isForeground == true }
    if !isForeground {
      await inTurn { delivery in
        await delivery.outbox.dispatcher.rest(within: limit / 2) {
          delivery.state.withLock { $0.isForeground == true }
        }
      }?.value
    }
    await withCheckedContinuation { continuation in
      // The app may be in the foreground again by now.
      let isChanged = state.withLock { state in
        guard (state.isForeground == true) == isForeground, !state.isClosed else { return false }
        state.waiters[number] = continuation
        return true
      }
      guard isChanged else { return continuation.resume() }
      apply { state in
        state.forget()
        return change(&state)
      }
      if state.withLock({ $0.late.contains(number) }) { hurry(number) }
    }
  }

  /// Ends the wait of a caller whose limit has passed.
  private func hurry(_ number: Int) {
    var (isForeground, closes) = (false, false)
    apply { state in
      isForeground = state.isForeground == true
      // A caller that does not wait yet hurries as soon as it does.
      state.late.insert(number)
      guard state.waiters[number] != nil, !isForeground else { return [] }
      closes = true
      state.openings += 1
      return state.handover.hurry()
    }
    if isForeground { release(number) }
    // The caller waits until the store is closed, but not for work that begins later.
    if closes { inTurn { delivery in delivery.release(number) } }
  }

  private func release(_ number: Int) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
  }

  // MARK: Events

  private func take(_ event: SessionEvent) {
    switch event {
    case .drained:
      apply { state in
        state.isDrained = state.waiters.isEmpty
        return state.handover.drained()
      }
    case .ended(let lease, let end):
      apply { state in
        // The delivery itself cancels tasks. The session reports these ends after all that it had before.
        if case .cancelled = end {} else { state.isDrained = false }
        state.keep(.told(end), of: lease)
        defer { state.dropEnd(of: lease) }
        return state.handover.ended(lease, HandedEnd(end))
      }
    }
  }

  /// Compares the session with the expected tasks from time to time, in the foreground.
  private func watchSession() {
    let task = Task { [weak self, timeline, interval = outbox.configuration.pollInterval] in
      while !Task.isCancelled {
        do { try await timeline.sleep(interval) } catch { return }
        guard let self, state.withLock({ $0.isForeground == true }) else { return }
        let tasks = await session.tasks()
        apply { $0.handover.checked(tasks: tasks) }
      }
    }
    watch.withLock { watch in
      watch?.cancel()
      watch = task
    }
  }

  // MARK: Carrying out

  /// Changes the state, and carries out the effects.
  func apply(_ change: (inout State) -> [HandoverState.Effect]) {
    let effects = state.withLock { state in state.isClosed ? [] : change(&state) }
    for effect in effects { carryOut(effect) }
  }

  /// Does work after all earlier work of this kind.
  /// - Returns: The work; nil if the outbox is closed.
  @discardableResult
  func inTurn(_ work: @escaping @Sendable (BackgroundDelivery) async -> Void) -> Task<Void, Never>? {
    state.withLock { state in
      if state.isClosed { return nil }
      let task = Task { [before = state.turn] in
        await before?.value
        await work(self)
      }
      state.turn = task
      return task
    }
  }
}
