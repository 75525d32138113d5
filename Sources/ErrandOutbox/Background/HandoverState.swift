/// Decides which requests an outbox hands over to a background session of the system, and which end of an
/// attempt is recorded. The session sends requests while no process of the app runs. Pure.
///
/// A request is handed over in steps. The process may end during each of them:
///
/// ```
/// claimed ─its request is written to a file, its task is made→ marked in the store ─→ task resumed ─→ end recorded
/// ```
///
/// The store and the session are compared whenever the app begins to run (`opened`). A task is cancelled if
/// it belongs to no marked request. If a marked request has no task, and still has none a while later, its
/// attempt ended in an unknown way. Only the first end of an attempt is recorded, except that an accepted
/// request is always recorded.
struct HandoverState: Sendable {
  /// The app's state, as the app has reported it.
  enum Mode: Sendable, Hashable {
    /// The app is in the foreground: the outbox sends requests itself, and takes back requests that the
    /// session has not begun to send.
    case awake
    /// The app is in the background, and may be suspended at any time after `rest`.
    case asleep
    /// The app has not yet reported its state: ends are recorded, and nothing else is done.
    case launching
  }

  enum Phase { case closed, opening, open }

  /// The most requests that the session has at once.
  let limit: Int
  private(set) var mode = Mode.launching
  var phase = Phase.closed
  /// True if the store may have requests to claim.
  var wantsClaim = false
  private var isClaiming = false
  var requests: [Lease: Stage] = [:]
  /// Ends that were reported while the store was closed.
  var early: [Lease: HandedEnd] = [:]
  /// The attempts whose ends by the session were recorded since the store was opened.
  var known: Set<Lease> = []
  /// True from when the system wakes the app for the session's events until the session has reported all of
  /// them.
  private var awaitsEvents = false
  private var rests = true

  init(limit: Int) { self.limit = max(1, limit) }

  /// True if the app may be suspended.
  var mayBeSuspended: Bool { mode == .asleep && phase == .closed }

  // MARK: The app

  /// The app has come to the foreground.
  mutating func wake() -> [Effect] {
    mode = .awake
    return reopen()
  }

  /// The app has gone to the background, or the system has woken it there. The outbox itself sends nothing
  /// any more.
  mutating func sleep() -> [Effect] {
    mode = .asleep
    (wantsClaim, rests) = (true, false)
    return phase == .closed ? reopen() : next()
  }

  /// The system has woken the app for events of the session, and waits for them to be recorded.
  mutating func awaitEvents() { (awaitsEvents, rests) = (true, false) }

  /// The session has reported all events that it had.
  mutating func drained() -> [Effect] {
    awaitsEvents = false
    return next()
  }

  /// The app has no time left. Requests that were not handed over stay in the outbox.
  mutating func hurry() -> [Effect] {
    guard phase != .closed else { return [] }
    var effects: [Effect] = []
    for (lease, stage) in requests {
      switch stage {
      case .marking(let task): effects.append(.cancel(task: task))
      // Its recording may still succeed.
      case .recording: continue
      case .preparing, .underWay, .unaccounted: break
      }
      requests[lease] = nil
    }
    (phase, isClaiming, awaitsEvents, rests) = (.closed, false, false, true)
    return effects + [.rest]
  }

  private mutating func reopen() -> [Effect] {
    rests = false
    guard phase != .opening else { return [] }
    phase = .opening
    // `opened` adds these again, from the store and the session.
    requests = requests.filter { !$0.value.isHanded }
    return [.open]
  }

  // MARK: Handing over

  /// The claim has brought these requests.
  /// - Parameter isMore: True if there may be more to claim.
  mutating func claimed(_ leases: [Lease], isMore: Bool) -> [Effect] {
    // The store has already taken these rows back.
    if phase == .closed { return [] }
    isClaiming = false
    if isMore { wantsClaim = true }
    var effects: [Effect] = []
    for lease in leases {
      requests[lease] = .preparing
      if mode == .awake { effects += end(lease, .cancelled(hasBegun: false)) }
    }
    return effects + next()
  }

  /// The request has a task, which is suspended.
  mutating func prepared(_ lease: Lease, task: Int) -> [Effect] {
    guard requests[lease] == .preparing else { return [.cancel(task: task)] + next() }
    guard mode == .asleep else {
      return [.cancel(task: task)] + end(lease, .cancelled(hasBegun: false)) + next()
    }
    requests[lease] = .marking(task: task)
    return [.mark(lease)]
  }

  /// The store has noted that the session has the request.
  /// - Parameter isDone: False if another owner may have the request by now.
  mutating func marked(_ lease: Lease, isDone: Bool) -> [Effect] {
    guard case .marking(let task) = requests[lease] else { return next() }
    requests[lease] = isDone ? .underWay(task: task) : nil
    return [isDone && mode == .asleep ? .resume(task: task) : .cancel(task: task)] + next()
  }

  // MARK: Ends

  /// An attempt has ended: the session reported the end, or the request could not be prepared.
  mutating func ended(_ lease: Lease, _ end: HandedEnd) -> [Effect] {
    guard phase == .open else {
      if early[lease] != .finished { early[lease] = end }
      // When time runs out, the delivery cancels tasks itself. Their ends must not open the store again.
      if phase == .closed, end == .cancelled(hasBegun: false) { return [] }
      return reopen()
    }
    return self.end(lease, end) + next()
  }

  mutating func end(_ lease: Lease, _ end: HandedEnd) -> [Effect] {
    switch requests[lease] {
    case .recording(let first, _):
      if end == .finished, first != .finished { requests[lease] = .recording(first, isLate: true) }
      return []
    case nil where end != .finished || known.contains(lease): return []
    default:
      requests[lease] = .recording(end, isLate: false)
      return [.record(lease, end)]
    }
  }

  /// The end of an attempt was recorded.
  /// - Parameters:
  ///   - isDone: False if the store could not record it.
  ///   - isOver: True if this end delivered the request, or moved it to the dead letters.
  mutating func recorded(_ lease: Lease, isDone: Bool, isOver: Bool = false) -> [Effect] {
    guard case .recording(let end, let isLate) = requests[lease] else { return next() }
    let told: HandedEnd = isLate ? .finished : end
    guard isDone else {
      if phase == .open { return [.record(lease, end)] }
      requests[lease] = nil
      early[lease] = told
      return []
    }
    if told == .finished { known.insert(lease) }
    requests[lease] = nil
    // The next request of its lane may be claimed now.
    wantsClaim = true
    let needless = isOver ? cancelOthers(than: lease) : []
    guard isLate else { return needless + next() }
    requests[lease] = .recording(.finished, isLate: false)
    return needless + [.record(lease, .finished)]
  }

  /// Cancels the tasks of later attempts of a request that has ended. The session reports their ends.
  private func cancelOthers(than lease: Lease) -> [Effect] {
    requests.compactMap { other, stage in
      guard other.id == lease.id, other != lease, case .underWay(let task) = stage else { return nil }
      return .cancel(task: task)
    }
  }

  // MARK: Rest

  private var capacity: Int { limit - requests.values.count { $0.isInSession } }

  private var isQuiet: Bool {
    phase == .open && !isClaiming && !awaitsEvents
      && requests.values.allSatisfy { if case .underWay = $0 { true } else { false } }
  }

  mutating func next() -> [Effect] {
    guard phase == .open else { return [] }
    if mode == .asleep, wantsClaim, !isClaiming, capacity > 0 {
      (wantsClaim, isClaiming, rests) = (false, true, false)
      return [.claim(capacity)]
    }
    guard isQuiet else {
      rests = false
      return []
    }
    guard !rests else { return [] }
    rests = true
    if mode == .asleep { phase = .closed }
    return [.rest]
  }
}
