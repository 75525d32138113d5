/// One flight for each key, and who waits for it. Pure: the time comes in, what is to be done goes out.
///
/// A flight's window begins with it. Whether the window is open or over, and whether the outcome is pending or here, makes
/// four cases (`Phase`), which decide what becomes of a caller who joins:
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
/// A flight that was called off, because everyone left, leaves nothing: its end comes too late to count. So does a flight
/// that ended in a cancellation, or in what may not be kept: those who wait are told, and the next caller leads.
struct ShareState<Answer: Sendable, Flight: Sendable, Caller: Sendable>: Sendable {
  typealias Outcome = Result<Answer, any Error>

  /// Where a flight is, on the time's and on the network's side.
  enum Phase: Sendable, Hashable, CaseIterable {
    case openPending, openHere, overPending, overHere
  }

  /// Names a flight.
  struct FlightID: Sendable, Hashable {
    fileprivate let key: RequestKey
    fileprivate let number: UInt64
  }

  /// A caller's place in a flight; good until that caller has an outcome.
  struct Place: Sendable, Hashable {
    let flight: FlightID
    fileprivate let token: Slab<Caller>.Token
  }

  enum Joining: Sendable {
    /// The first: the flight is to be started.
    case lead(Place, Flight)
    /// Waits with the others. The flight is to be raised, if this caller is more urgent than all before.
    case join(Place, Flight, raise: Priority?)
    /// It is here already.
    case answer(Outcome)
  }

  enum Leaving: Sendable {
    /// This caller is to be told why it left; the flight that nobody waits for any more is to be called off.
    case left(Caller, callsOff: Flight?)
    /// It has its outcome already.
    case late
  }

  struct Finishing: Sendable {
    /// Those who get the outcome.
    var callers = Slab<Caller>()
    /// When `expire` must be called, if nobody has been told to before.
    var alarm: Duration?
  }

  private var records: [RequestKey: FlightRecord<Answer, Flight, Caller>] = [:]
  private var expiries = Expiries<FlightID>()
  private var lastNumber: UInt64 = 0

  var count: Int { records.count + expiries.count }
  var isEmpty: Bool { count == 0 }

  /// How many deadlines it keeps.
  var deadlines: Int { expiries.count }

  /// The case that a caller with this window would meet.
  func phase(of key: RequestKey, within window: Duration, at now: Duration) -> Phase {
    records[key]?.phase(at: now, within: window) ?? .overHere
  }

  /// How many wait for the flight of this key.
  func callers(of key: RequestKey) -> Int { records[key]?.callers.count ?? 0 }

  /// - Parameter makeFlight: Is asked if this caller leads.
  mutating func join(
    _ key: RequestKey, _ caller: Caller, _ policy: SharingPolicy, priority: Priority, at now: Duration,
    makeFlight: () -> Flight
  ) -> Joining {
    // By index, because a copy of a record would make the next change copy all of its callers.
    if let index = records.index(forKey: key) {
      switch records.values[index].phase(at: now, within: policy.window) {
      case .openPending, .overPending:
        let number = records.values[index].number
        let (token, raise) = records.values[index].add(caller, policy, priority)
        let place = Place(flight: FlightID(key: key, number: number), token: token)
        return .join(place, records.values[index].flight, raise: raise)
      case .openHere:
        if let outcome = records.values[index].outcome, policy.accepts(outcome) { return .answer(outcome) }
      case .overHere: break
      }
    }
    lastNumber += 1
    let flight = makeFlight()
    var record = FlightRecord<Answer, Flight, Caller>(
      number: lastNumber, flight: flight, began: now, window: min(policy.window, .longest), priority: priority
    )
    let (token, _) = record.add(caller, policy, priority)
    records[key] = record
    return .lead(Place(flight: FlightID(key: key, number: lastNumber), token: token), flight)
  }

  mutating func leave(_ place: Place) -> Leaving {
    guard let index = index(of: place.flight), let caller = records.values[index].remove(place.token) else {
      return .late
    }
    guard records.values[index].isAbandoned else { return .left(caller, callsOff: nil) }
    return .left(caller, callsOff: records.remove(at: index).value.flight)
  }

  /// - Parameter isKept: False if nobody is to get this outcome who comes later.
  mutating func finish(_ flight: FlightID, _ outcome: Outcome, isKept: Bool = true, at now: Duration)
    -> Finishing
  {
    guard let index = index(of: flight), records.values[index].outcome == nil else { return Finishing() }
    let end = records.values[index].end
    guard now < end, isKept, !outcome.isCancellation else {
      return Finishing(callers: records.remove(at: index).value.callers)
    }
    let callers = records.values[index].finish(outcome)
    dropDeadlinesOfNothing()
    return Finishing(callers: callers, alarm: expiries.add(flight, due: end))
  }

  /// Forgets the outcomes whose windows are over; returns when to do so again.
  mutating func expire(at now: Duration) -> Duration? {
    while let flight = expiries.next(by: now) {
      if let index = index(of: flight) { records.remove(at: index) }
    }
    if records.isEmpty { records = [:] }
    return expiries.nextRing()
  }

  private func index(of flight: FlightID) -> Dictionary<RequestKey, FlightRecord<Answer, Flight, Caller>>
    .Index?
  {
    guard let index = records.index(forKey: flight.key), records.values[index].number == flight.number else {
      return nil
    }
    return index
  }

  /// An outcome that another flight took the place of leaves its deadline behind; many of them may not pile up.
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

extension Result where Failure == any Error {
  fileprivate var isCancellation: Bool {
    switch self {
    case .success: false
    case .failure(let error): error.isCancellation
    }
  }
}
