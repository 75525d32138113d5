import ErrandCore

/// Delivers an outbox's requests while the app is asleep: hands them over to a background session of the system, and takes
/// over again when the app runs. `HandoverState` decides what is done, and this carries it out.
///
/// ```swift
/// let delivery = try outbox.deliverInBackground(session)
/// delivery.enterForeground()          // the scene became active
/// await delivery.enterBackground()    // it went to the background: keep the app awake until this returns
/// await delivery.handleEvents()       // the system woke the app for the session; then call its completion handler
/// ```
///
/// A request that was handed over is sent at least once, with the same idempotency key as before, and its end is judged
/// by the same rules as that of any attempt. Keep this object as long as the outbox.
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

  /// Notes that the app has come to the foreground: the outbox sends by itself, and takes back what the session has not
  /// begun to send. Returns at once.
  public func enterForeground() {
    let isOpen = state.withLock { state in
      (state.isForeground, state.isDrained) = (true, false)
      return state.handover.phase == .open
    }
    // The app has come back before it slept: what it is sending goes on.
    if isOpen { outbox.dispatcher.resume() }
    apply { state in
      state.forget()
      return state.handover.wake()
    }
    watchSession()
  }

  /// Notes that the app has gone to the background, or that the system runs it there for a while: the outbox sends nothing
  /// itself any more, and hands over what it can. Returns when the app may be suspended: the process holds no lock and has
  /// nothing under way. Ask the system for the time (`beginBackgroundTask`), and end it then.
  ///
  /// Requests that cannot be handed over in time, or before the task is cancelled, stay in the outbox.
  /// - Parameter limit: The longest that this takes. Half of it is for requests that are being sent. Default: 20 s.
  public func enterBackground(within limit: Duration = .seconds(20)) async {
    state.withLock { ($0.isForeground, $0.isDrained) = (false, false) }
    await finish(within: limit) { $0.handover.sleep() }
  }

  /// As `enterBackground`, unless the app is in the foreground: for a run that the system has begun.
  func runInBackground() async {
    if state.withLock({ $0.isForeground == true }) { return }
    await enterBackground()
  }

  /// Records the ends for which the system has woken the app, and hands over what can be sent next. Returns when they are
  /// recorded, and, unless the app is in the foreground, when it may be suspended. Call the completion handler of
  /// `handleEventsForBackgroundURLSession` then.
  /// - Parameter limit: The longest that this takes. Default: 20 s.
  public func handleEvents(within limit: Duration = .seconds(20)) async {
    let isForeground = state.withLock { $0.isForeground == true }
    await finish(within: limit) { state in
      if !state.isDrained { state.handover.awaitEvents() }
      state.isDrained = false
      return isForeground ? state.handover.wake() : state.handover.sleep()
    }
  }

  /// True if the app may be suspended: the store is closed, and nothing is under way.
  public var mayBeSuspended: Bool { state.withLock { $0.handover.mayBeSuspended && $0.isSuspended } }

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

  /// Ends the wait of a caller whose time is over.
  private func hurry(_ number: Int) {
    var (isForeground, closes) = (false, false)
    apply { state in
      isForeground = state.isForeground == true
      // One that does not wait yet hurries when it does.
      state.late.insert(number)
      guard state.waiters[number] != nil, !isForeground else { return [] }
      closes = true
      state.openings += 1
      return state.handover.hurry()
    }
    if isForeground { release(number) }
    // It waits until the store is closed, and for nothing that has begun since.
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
        // The delivery cancels tasks itself, which the session tells after all that it had to tell.
        if case .cancelled = end {} else { state.isDrained = false }
        state.keep(.told(end), of: lease)
        defer { state.dropEnd(of: lease) }
        return state.handover.ended(lease, HandedEnd(end))
      }
    }
  }

  /// Compares the session with what it should have, from time to time in the foreground.
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

  /// Changes the state, and carries out what follows from it.
  func apply(_ change: (inout State) -> [HandoverState.Effect]) {
    let effects = state.withLock { state in state.isClosed ? [] : change(&state) }
    for effect in effects { carryOut(effect) }
  }

  /// Does work after all such work that was asked for before.
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
