#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides for a dispatcher which of the claimed rows it sends, which ends it records, and when it claims
/// more rows. Pure.
///
/// A claimed row waits to be sent, is being sent, or is being recorded. Only `InFlightRows` counts these
/// rows. A send ends when its response arrives, so that recording, which waits for the disk, blocks no other
/// send. When recording fails, nothing more is sent until it works again. `OriginTable` decides which rows
/// may be sent to which origin, and `DispatchState+Claiming` decides when to claim.
struct DispatchState: Sendable {
  /// The most requests in flight to origins that respond.
  let concurrency: Int
  /// The origins to claim from; nil for all.
  let only: Set<String>?
  let pollInterval: Duration
  var origins: OriginTable
  var inFlight = InFlightRows()
  var demand = Demand()
  private(set) var isStopped = false
  var isStarted = false
  var isCancelling = false
  var isOffline = false
  /// True while the store cannot be written.
  var isStuck = false
  /// True while leases are being renewed. Nothing is sent until this dispatcher knows which leases it still
  /// has.
  var isRenewing = false
  /// The number of attempts in a row, to any origin, that could not connect.
  var misses = 0
  /// True if the dispatcher was idle after the last step.
  private var wasIdle = true
  /// The callers that wait for the dispatcher's end.
  var waiters: [CheckedContinuation<Void, Never>] = []

  init(
    concurrency: Int, probes: Int, limits: OriginState.Limits, only: Set<String>? = nil,
    pollInterval: Duration = .seconds(60)
  ) {
    self.concurrency = min(max(1, concurrency), OriginTable.mostAtOnce)
    self.only = only
    self.pollInterval = pollInterval
    origins = OriginTable(total: concurrency, probes: probes, limits: limits)
    demand.nextPoll = pollInterval
  }

  /// True if no row is in flight and no claim is in progress: such a claim may have taken rows already.
  var isIdle: Bool { inFlight.isEmpty && !demand.isClaiming }
  /// True if the dispatcher is stopped and idle.
  var isOver: Bool { isStopped && isIdle }

  /// Prevents new claims and new sends.
  mutating func stop() { isStopped = true }

  /// Resumes after `stop`.
  /// - Returns: The callers that waited for the end, which does not come now.
  mutating func resume() -> [CheckedContinuation<Void, Never>] {
    (isStopped, isCancelling) = (false, false)
    defer { waiters = [] }
    return waiters
  }

  // MARK: The next step

  /// The work that is due now.
  struct Step {
    /// The rows to send.
    var rows: [ClaimedRow] = []
    /// True if leases have to be renewed before anything else is sent.
    var renews = false
    /// The ends of attempts to record.
    var ended: [FinishedAttempt]?
    /// The claim to make.
    var order: Order?
    /// When to look for work again.
    var ring: Duration?
    /// True if the dispatcher has just become idle.
    var hasNothing = false
    /// The callers that waited for the dispatcher's end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Returns the work that is due, and counts it as begun.
  /// - Parameter ticks: The time of the clock by which leases end.
  mutating func step(at now: Duration, ticks: Int64) -> Step {
    var step = Step()
    if origins.advance(to: now) { want() }
    giveBack()
    if inFlight.isLate(at: ticks) {
      step.renews = !isRenewing && inFlight.waiting > 0 && !isStopped
      if step.renews { isRenewing = true }
    } else {
      while let origin = inFlight.nextOrigin(where: { mayBegin($0) }), let row = begin(origin, at: now) {
        step.rows.append(row)
      }
    }
    step.ended = inFlight.beginRecording()
    step.order = claim(at: now)
    step.ring = nextRing
    step.hasNothing = isIdle && !wasIdle
    wasIdle = isIdle
    if isOver { swap(&step.waiters, &waiters) }
    return step
  }

  // MARK: Sending

  func mayBegin(_ origin: String) -> Bool { !isStuck && !isStopped && origins.mayBegin(origin) }

  /// Moves the first row that waits for this origin to the rows that are being sent.
  /// - Returns: The row; nil if no row may be sent.
  mutating func begin(_ origin: String, at now: Duration) -> ClaimedRow? {
    guard mayBegin(origin), let row = inFlight.begin(origin) else { return nil }
    origins.begin(row.lease, origin, at: now)
    return row
  }

  /// Notes which leases were renewed, and drops the rows of leases that were lost, because other owners may
  /// have them.
  /// - Returns: The tasks that are sending lost rows.
  mutating func renewed(
    _ leases: [Lease], losing lost: [Lease], until end: Int64, nextBy limit: Int64
  ) -> [Task<Void, Never>] {
    let gone = Set(lost)
    inFlight.renewed(leases.filter { !gone.contains($0) }, until: end, nextBy: limit)
    let tasks = inFlight.tasks(of: lost)
    for (origin, count) in inFlight.drop(lost) { origins.wait(origin, by: -count) }
    return tasks
  }

  /// True if rows that wait for this origin will not be sent soon.
  func givesBack(_ origin: String) -> Bool { isStopped || origins.givesBack(origin) }

  /// Gives back the rows that will not be sent soon.
  mutating func giveBack() {
    for origin in inFlight.waitingOrigins(where: { givesBack($0) }) {
      origins.wait(origin, by: -inFlight.giveBack(origin))
    }
  }

  // MARK: Recording

  /// Notes the end of an attempt, which is then recorded.
  /// - Parameters:
  ///   - hasReached: True if the attempt reached a server; nil if the request was given back.
  ///   - label: The name of the origin as it may be shown, in case the attempt holds the origin.
  mutating func ended(
    _ finished: FinishedAttempt, _ sign: OriginSign, hasReached: Bool?, label: Data = Data(),
    at now: Duration
  ) {
    if let hasReached { misses = hasReached ? 0 : misses + 1 }
    var finished = finished
    if let (origin, change) = origins.end(finished.lease, sign, at: now) {
      finished.news = OriginNews(origin: origin, change: change, label: label)
      if case .hold(_, _, let length) = change { finished.outcome.wait(longerThan: length) }
    }
    inFlight.end(finished)
  }

  /// Ends the recording that is in progress.
  /// - Parameter isDone: False if the store could not record the ends.
  mutating func endRecording(isDone: Bool) {
    let recorded = inFlight.endRecording(isDone: isDone)
    demand.isWanted = true
    // The next requests of lanes may be for any origin.
    if recorded.hadLanes { demand.isOfAny = true }
    for name in recorded.origins { origins.recorded(name) }
    for name in recorded.held { origins.recordedHold(name) }
    for name in recorded.returned { origins.wait(name, by: -1) }
    isStuck = false
  }
}
