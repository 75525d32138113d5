/// What `ShareState` knows of one flight.
struct FlightRecord<Answer: Sendable, Flight: Sendable, Caller: Sendable>: Sendable {
  typealias Phase = ShareState<Answer, Flight, Caller>.Phase

  let number: UInt64
  let flight: Flight
  let began: Duration
  let window: Duration
  private(set) var callers = Slab<Caller>()
  private(set) var outcome: Result<Answer, any Error>?
  private var priority: Priority
  private var finishesAlone = false

  init(number: UInt64, flight: Flight, began: Duration, window: Duration, priority: Priority) {
    self.number = number
    self.flight = flight
    self.began = began
    self.window = window
    self.priority = priority
  }

  /// When its window ends.
  var end: Duration { began + window }

  /// Nobody waits for it, and nobody wants it to go on.
  var isAbandoned: Bool { callers.isEmpty && !finishesAlone }

  /// As a caller sees it whose own window may be shorter.
  func phase(at now: Duration, within window: Duration) -> Phase {
    let isOpen = now - began < min(window, self.window)
    return switch (isOpen, outcome != nil) {
    case (true, false): .openPending
    case (true, true): .openHere
    case (false, false): .overPending
    case (false, true): .overHere
    }
  }

  /// Returns the caller's token, and the priority to raise the flight to.
  mutating func add(_ caller: Caller, _ policy: SharingPolicy, _ urgency: Priority)
    -> (Slab<Caller>.Token, raise: Priority?)
  {
    if policy.whenAbandoned == .finishes { finishesAlone = true }
    let isRaised = urgency > priority
    if isRaised { priority = urgency }
    return (callers.insert(caller), isRaised ? urgency : nil)
  }

  mutating func remove(_ token: Slab<Caller>.Token) -> Caller? { callers.remove(token) }

  /// Keeps the outcome, and gives out those who waited for it.
  mutating func finish(_ outcome: Result<Answer, any Error>) -> Slab<Caller> {
    self.outcome = outcome
    defer { callers = Slab() }
    return callers
  }
}
