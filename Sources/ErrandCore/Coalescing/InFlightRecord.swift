/// The state of one in-flight request in `ShareState`.
struct InFlightRecord<Value: Sendable, InFlightRequest: Sendable, Caller: Sendable>: Sendable {
  typealias Phase = ShareState<Value, InFlightRequest, Caller>.Phase

  let number: UInt64
  let inFlightRequest: InFlightRequest
  let began: Duration
  let window: Duration
  private(set) var callers = Slab<Caller>()
  private(set) var outcome: Result<Value, any Error>?
  private var priority: Priority
  private var finishesAlone = false

  init(
    number: UInt64, inFlightRequest: InFlightRequest, began: Duration, window: Duration, priority: Priority
  ) {
    self.number = number
    self.inFlightRequest = inFlightRequest
    self.began = began
    self.window = window
    self.priority = priority
  }

  /// When the window ends.
  var end: Duration { began + window }

  /// True if no caller waits for the request, and no caller asked for it to finish anyway.
  var isAbandoned: Bool { callers.isEmpty && !finishesAlone }

  /// Returns the phase for a caller, whose own window may be shorter.
  func phase(at now: Duration, within window: Duration) -> Phase {
    let isOpen = now - began < min(window, self.window)
    return switch (isOpen, outcome != nil) {
    case (true, false): .openPending
    case (true, true): .openHere
    case (false, false): .overPending
    case (false, true): .overHere
    }
  }

  /// Adds a caller. Returns its token, and the priority to raise the in-flight request to.
  mutating func add(_ caller: Caller, _ policy: SharingPolicy, _ effectivePriority: Priority)
    -> (Slab<Caller>.Token, raise: Priority?)
  {
    if policy.whenAbandoned == .finishes { finishesAlone = true }
    let isRaised = effectivePriority > priority
    if isRaised { priority = effectivePriority }
    return (callers.insert(caller), isRaised ? effectivePriority : nil)
  }

  mutating func remove(_ token: Slab<Caller>.Token) -> Caller? { callers.remove(token) }

  /// The end of a request, with the callers that get its outcome.
  enum End {
    /// It is another request's record, or has ended before.
    case late
    /// The record is to be removed.
    case over(Slab<Caller>)
    /// The outcome is kept until the window ends.
    case kept(Slab<Caller>, until: Duration)
  }

  /// Stores the outcome if later callers may get it. Returns the callers that waited for it.
  // Looks at everything in one go: each look at a record from outside copies it.
  mutating func finish(
    _ number: UInt64, _ outcome: Result<Value, any Error>, isKept: Bool, at now: Duration
  ) -> End {
    guard number == self.number, self.outcome == nil else { return .late }
    defer { callers = Slab() }
    guard now < end, isKept, !outcome.isCancellation else { return .over(callers) }
    self.outcome = outcome
    return .kept(callers, until: end)
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
