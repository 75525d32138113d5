/// The dispatcher's state, and the decision what to do next. Pure.
struct DispatchWork: Sendable {
  var state: DispatchState
  var inFlight = InFlightRows()
  var isStarted = false
  var nextPoll: Duration
  /// When the store has rows to claim again.
  var nextDue: Duration?
  var nextPrune = Duration.zero
  var isCancelling = false
  /// True while leases are being renewed. Nothing is sent until this dispatcher knows which of them it still
  /// has.
  var isRenewing = false
  /// True if the dispatcher was idle after the last step.
  private var wasIdle = true
  var waiters: [CheckedContinuation<Void, Never>] = []

  init(state: DispatchState, nextPoll: Duration) {
    self.state = state
    self.nextPoll = nextPoll
  }

  /// True if no row is in flight and no claim is under way: such a claim may have taken rows already.
  var isIdle: Bool { inFlight.isEmpty && !state.isClaiming }

  /// When to look for work again if nothing happens before.
  var nextRing: Duration? {
    state.isStopped ? nil : min(nextPoll, nextDue ?? nextPoll, state.wakeUp ?? nextPoll)
  }

  /// Takes the rows of a claim.
  /// - Parameters:
  ///   - end: When the leases end, in the store's ticks.
  ///   - learned: Rows whose origins the store does not know. Their origins were filled in after the claim.
  mutating func take(
    _ claim: Claim, of order: DispatchState.Order, until end: Int64, renewingBy limit: Int64,
    learned: Set<Lease>
  ) {
    inFlight.take(claim.rows, until: end, renewingBy: limit, learned: learned)
    var counts: [String: Int] = [:]
    for row in claim.rows { counts[row.row.origin, default: 0] += 1 }
    // More rows without an origin may be behind those that are not sent now.
    let unnamed = learned.count + counts["", default: 0]
    let isFilled = unnamed > 0 && unnamed >= order.wish.capacities[""] ?? .max
    state.claimed(counts, of: order, hasMore: claim.next == .zero || isFilled, held: claim.held)
  }

  /// Drops rows that another owner may have by now.
  /// - Returns: The tasks that are sending some of them.
  mutating func lose(_ leases: [Lease]) -> [Task<Void, Never>] {
    let tasks = inFlight.tasks(of: leases)
    for (origin, count) in inFlight.drop(leases) { state.drop(count, of: origin, isRecorded: false) }
    return tasks
  }

  mutating func endRecording(_ batch: [FinishedAttempt], isDone: Bool) {
    let recorded = inFlight.endRecording(isDone: isDone)
    state.recorded(batch.count, of: recorded.origins, hadLanes: recorded.hadLanes)
    for origin in recorded.returned { state.drop(1, of: origin, isRecorded: true) }
    guard isDone else { return }
    for finished in batch {
      if let news = finished.news, news.change != .release { state.origins.recordedHold(news.origin) }
    }
  }

  /// The work that is due now.
  struct Step {
    /// The rows to send.
    var rows: [ClaimedRow] = []
    /// True if leases have to be renewed before anything else is sent.
    var renews = false
    /// The ends of attempts to record.
    var ended: [FinishedAttempt]?
    /// The claim to make.
    var order: DispatchState.Order?
    /// When to look for work again.
    var ring: Duration?
    /// True if the dispatcher has just become idle.
    var hasNothing = false
    /// The callers that waited for the dispatcher's end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Returns the work that is due, and counts it as begun.
  /// - Parameter ticks: The store's clock, by which leases end.
  mutating func step(at now: Duration, ticks: Int64) -> Step {
    var step = Step()
    state.advance(to: now)
    for (origin, count) in inFlight.returnWaiting(for: state) {
      state.drop(count, of: origin, isRecorded: true)
    }
    if inFlight.isLate(at: ticks) {
      step.renews = !isRenewing && state.waiting > 0 && !state.isStopped
      if step.renews { isRenewing = true }
    } else {
      while let row = inFlight.next(for: state) {
        state.begin(row.lease, row.row.origin, at: now)
        step.rows.append(row)
      }
    }
    step.ended = inFlight.beginRecording()
    step.order = state.claim(at: now)
    step.ring = nextRing
    step.hasNothing = isIdle && !wasIdle
    wasIdle = isIdle
    if state.isOver { swap(&step.waiters, &waiters) }
    return step
  }
}
