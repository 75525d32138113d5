/// The state of one in-flight request in `ShareState`.
struct InFlightRecord<Value: Sendable, InFlightRequest: Sendable, Caller: Sendable>: Sendable {
  typealias Phase = ShareState<Value, InFlightRequest, Caller>.Phase

  let number: UInt64
  let inFlightRequest: InFlightRequest
  let began: Duration
  let window: Duration
  private(set) var callers = Slab<Waiting>()
  private(set) var outcome: Result<Value, any Error>?
  private var priorities = PriorityCounts()
  private var finishesAlone = false

  /// A caller that waits, with the priority at which it was last counted.
  struct Waiting: Sendable {
    let caller: Caller
    var priority: Priority
  }

  init(number: UInt64, inFlightRequest: InFlightRequest, began: Duration, window: Duration) {
    self.number = number
    self.inFlightRequest = inFlightRequest
    self.began = began
    self.window = window
  }

  /// The highest priority of the waiting callers; nil without callers.
  var priority: Priority? { priorities.highest }

  /// Returns the request and its priority; nil without callers.
  // Mutating, because a non-mutating access to a stored record would copy it.
  mutating func level() -> (InFlightRequest, Priority)? { priority.map { (inFlightRequest, $0) } }

  /// The time at which the window ends.
  var end: Duration { began + window }

  /// True if no caller waits for the request, and none asked for it to finish anyway.
  var isAbandoned: Bool { callers.isEmpty && !finishesAlone }

  /// Returns the phase for a caller, whose window may be shorter than the record's.
  func phase(at now: Duration, within window: Duration) -> Phase {
    let isOpen = now - began < min(window, self.window)
    return switch (isOpen, outcome != nil) {
    case (true, false): .openPending
    case (true, true): .openHere
    case (false, false): .overPending
    case (false, true): .overHere
    }
  }

  mutating func add(_ caller: Caller, _ policy: SharingPolicy, _ priority: Priority) -> Slab<Waiting>.Token {
    if policy.whenAbandoned == .finishes { finishesAlone = true }
    priorities.add(priority)
    return callers.insert(Waiting(caller: caller, priority: priority))
  }

  mutating func remove(_ token: Slab<Waiting>.Token) -> Caller? {
    guard let waiting = callers.remove(token) else { return nil }
    priorities.remove(waiting.priority)
    return waiting.caller
  }

  /// Notes that the priority of a caller has changed.
  mutating func change(_ token: Slab<Waiting>.Token, to priority: Priority) {
    guard let waiting = callers[token] else { return }
    priorities.remove(waiting.priority)
    priorities.add(priority)
    callers[token]?.priority = priority
  }

  /// The end of a request, with the callers that get its outcome.
  enum End {
    /// The record belongs to another request, or has already ended.
    case late
    /// The record must be removed.
    case over(Slab<Waiting>)
    /// The outcome is stored until the window ends.
    case kept(Slab<Waiting>, until: Duration)
  }

  /// Stores the outcome if later callers may get it. Returns the callers that waited for it.
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

/// The number of callers of each priority.
private struct PriorityCounts: Sendable {
  // Not an array, because each shared request has one of these.
  private var counts = SIMD4<UInt32>()

  mutating func add(_ priority: Priority) { counts[Int(priority.rawValue)] += 1 }
  mutating func remove(_ priority: Priority) { counts[Int(priority.rawValue)] -= 1 }

  var highest: Priority? { Priority.allCases.last { counts[Int($0.rawValue)] > 0 } }
}

extension Result where Failure == any Error {
  fileprivate var isCancellation: Bool {
    switch self {
    case .success: false
    case .failure(let error): error.isCancellation
    }
  }
}
