/// Tracks one in-flight request for each key, and the callers that wait for it. Pure: the time is a
/// parameter, and effects are returned.
///
/// The window of an in-flight request begins with it. The window is open or has ended (`over`), and the
/// outcome is pending or has arrived (`here`). These four cases (`Phase`) decide how a caller joins:
///
/// ```
///                 join: leads            finish
///   (nothing) ───────────────▶ openPending ──────────────▶ openHere
///    = overHere                 │ join: waits               │ join: gets the outcome
///       ▲  ▲  ▲                 │                           │
///       │  │  │ last one left   │ the window ends           │ the window ends
///       │  │  └─────────────────┤                           │
///       │  │                    ▼                           │
///       │  └──── finish ── overPending                      │
///       │       or last one left   join: waits              │
///       └───────────────────────────────────────────────────┘
/// ```
///
/// An in-flight request that was cancelled because all callers left has no record, so its outcome is ignored.
/// A request whose outcome is a cancellation, or may not be replayed, is removed as well: its callers get the
/// outcome, and the next caller leads.
struct ShareState<Value: Sendable, InFlightRequest: Sendable, Caller: Sendable>: Sendable {
  typealias Outcome = Result<Value, any Error>
  typealias Waiting = InFlightRecord<Value, InFlightRequest, Caller>.Waiting

  /// The state of an in-flight request: whether its window is open, and whether its outcome has arrived.
  enum Phase: Sendable, Hashable, CaseIterable {
    case openPending, openHere, overPending, overHere
  }

  /// Identifies an in-flight request.
  struct InFlightID: Sendable, Hashable {
    fileprivate let key: RequestKey
    fileprivate let number: UInt64
  }

  /// A caller's place in an in-flight request, which is valid until that caller has an outcome.
  struct Place: Sendable, Hashable {
    let inFlightRequest: InFlightID
    fileprivate let token: Slab<Waiting>.Token
  }

  enum Joining: Sendable {
    /// The caller is the first, so the in-flight request must be started.
    case lead(Place, InFlightRequest)
    /// The caller waits with the others. The in-flight request must get the priority `raise`, which is nil
    /// unless this caller's priority is higher than all others.
    case join(Place, InFlightRequest, raise: Level?)
    /// The outcome has already arrived.
    case response(Outcome)
  }

  enum Leaving: Sendable {
    /// The caller must be resumed with the reason why it left. `callsOff` is an in-flight request that lost
    /// its last caller and must be cancelled. `level` is the new priority of a request that still has
    /// callers.
    case left(Caller, callsOff: InFlightRequest?, level: Level?)
    /// The caller already has its outcome.
    case late
  }

  struct Finishing: Sendable {
    fileprivate var waiting = Slab<Waiting>()
    /// The callers that get the outcome.
    var callers: [Caller] { waiting.values.map(\.caller) }
    /// The time at which `expire` must be called, or nil if the timer is already set early enough.
    var timer: Duration?
  }

  private var records: [RequestKey: InFlightRecord<Value, InFlightRequest, Caller>] = [:]
  private var expiries = Expiries<InFlightID>()
  private var lastNumber: UInt64 = 0
  private var lastLevel: UInt64 = 0

  var count: Int { records.count + expiries.count }
  var isEmpty: Bool { count == 0 }

  /// The number of stored deadlines.
  var deadlines: Int { expiries.count }

  /// Returns the phase that a caller with this window finds.
  func phase(of key: RequestKey, within window: Duration, at now: Duration) -> Phase {
    records[key]?.phase(at: now, within: window) ?? .overHere
  }

  /// Returns the in-flight request of this key.
  func inFlightRequest(of key: RequestKey) -> InFlightRequest? { records[key]?.inFlightRequest }

  /// Returns the number of callers that wait for this key.
  func callers(of key: RequestKey) -> Int { records[key]?.callers.count ?? 0 }

  /// A priority for an in-flight request: the highest of the callers that wait for it.
  struct Level: Sendable {
    let inFlightRequest: InFlightRequest
    let priority: Priority
    /// Greater than the number of any earlier level.
    let number: UInt64
  }

  /// Returns the priority that the in-flight request must have; nil if no caller waits for it.
  mutating func level(of inFlightRequest: InFlightID) -> Level? {
    guard let index = index(of: inFlightRequest), let (request, priority) = records.values[index].level()
    else { return nil }
    lastLevel += 1
    return Level(inFlightRequest: request, priority: priority, number: lastLevel)
  }

  /// Notes that the priority of a caller has changed. Returns the priority of the in-flight request.
  mutating func change(_ place: Place, to priority: Priority) -> Level? {
    guard let index = index(of: place.inFlightRequest) else { return nil }
    records.values[index].change(place.token, to: priority)
    return level(of: place.inFlightRequest)
  }

  /// Adds a caller.
  /// - Parameter makeFlight: Creates the in-flight request. Called if this caller leads.
  mutating func join(
    _ key: RequestKey, _ caller: Caller, _ policy: SharingPolicy, priority: Priority, at now: Duration,
    makeFlight: () -> InFlightRequest
  ) -> Joining {
    // By index, because a copy of a record would make the next change copy all of its callers.
    if let index = records.index(forKey: key) {
      switch records.values[index].phase(at: now, within: policy.window) {
      case .openPending, .overPending:
        let number = records.values[index].number
        let highest = records.values[index].priority
        let token = records.values[index].add(caller, policy, priority)
        let place = Place(inFlightRequest: InFlightID(key: key, number: number), token: token)
        let isRaised = highest.map { priority > $0 } ?? true
        return .join(
          place, records.values[index].inFlightRequest,
          raise: isRaised ? level(of: place.inFlightRequest) : nil)
      case .openHere:
        if let outcome = records.values[index].outcome, policy.accepts(outcome) { return .response(outcome) }
      case .overHere: break
      }
    }
    lastNumber += 1
    let inFlightRequest = makeFlight()
    var record = InFlightRecord<Value, InFlightRequest, Caller>(
      number: lastNumber, inFlightRequest: inFlightRequest, began: now, window: min(policy.window, .longest))
    let token = record.add(caller, policy, priority)
    records[key] = record
    return .lead(
      Place(inFlightRequest: InFlightID(key: key, number: lastNumber), token: token), inFlightRequest)
  }

  mutating func leave(_ place: Place) -> Leaving {
    guard let index = index(of: place.inFlightRequest), let caller = records.values[index].remove(place.token)
    else {
      return .late
    }
    guard records.values[index].isAbandoned else {
      return .left(caller, callsOff: nil, level: level(of: place.inFlightRequest))
    }
    return .left(caller, callsOff: records.remove(at: index).value.inFlightRequest, level: nil)
  }

  /// Stores the outcome, and returns the callers that get it.
  /// - Parameter isKept: False if later callers do not get the outcome.
  mutating func finish(
    _ inFlightRequest: InFlightID, _ outcome: Outcome, isKept: Bool = true, at now: Duration
  )
    -> Finishing
  {
    guard let index = records.index(forKey: inFlightRequest.key) else { return Finishing() }
    switch records.values[index].finish(inFlightRequest.number, outcome, isKept: isKept, at: now) {
    case .late: return Finishing()
    case .over(let callers):
      records.remove(at: index)
      return Finishing(waiting: callers)
    case .kept(let callers, let end):
      dropDeadlinesOfNothing()
      return Finishing(waiting: callers, timer: expiries.add(inFlightRequest, due: end))
    }
  }

  /// Removes the outcomes whose windows have ended. Returns the time of the next call.
  mutating func expire(at now: Duration) -> Duration? {
    while let inFlightRequest = expiries.next(by: now) {
      if let index = index(of: inFlightRequest) { records.remove(at: index) }
    }
    if records.isEmpty { records = [:] }
    return expiries.nextRing()
  }

  private func index(of inFlightRequest: InFlightID) -> Dictionary<
    RequestKey, InFlightRecord<Value, InFlightRequest, Caller>
  >
    .Index?
  {
    guard let index = records.index(forKey: inFlightRequest.key),
      records.values[index].number == inFlightRequest.number
    else {
      return nil
    }
    return index
  }

  /// Drops deadlines without an outcome. An outcome that a newer in-flight request replaced leaves its
  /// deadline behind, and these must not pile up.
  private mutating func dropDeadlinesOfNothing() {
    guard expiries.count > 2 * records.count + 64 else { return }
    expiries.keep { [self] in index(of: $0) != nil }
  }
}

extension SharingPolicy {
  fileprivate func accepts(_ outcome: Result<some Any, any Error>) -> Bool {
    switch outcome {
    case .success: true
    case .failure: failures == .replayed
    }
  }
}
