/// How requests that are the same share one answer.
///
/// The first of them begins a flight, and a window. Which of four states that is in decides what becomes of the next:
///
/// ```
///                    answer pending             answer here
///                ┌────────────────────┐     ┌────────────────────┐
///   window open  │      joins it      │ ──▶ │ is answered at once│
///                └─────────┬──────────┘     └─────────┬──────────┘
///                          ▼                          ▼
///                ┌────────────────────┐     ┌────────────────────┐
///   window over  │   joins it still   │ ──▶ │  begins a new one  │
///                └────────────────────┘     └────────────────────┘
/// ```
///
/// Whoever is called off leaves alone; when the last has left, the flight is called off (see `whenAbandoned`) and the next
/// begins a new one.
public struct SharingPolicy: Sendable, Hashable {
  /// What becomes of a caller who comes when the shared request has failed, within its window.
  public enum Failures: Sendable, Hashable {
    /// Gets the same failure, at once.
    case replayed
    /// Begins a new request.
    case triedAgain
  }

  /// What becomes of the shared request when everyone who waited for it has left.
  public enum Abandonment: Sendable, Hashable {
    /// It is called off.
    case calledOff
    /// It goes on, and within the window its answer is there for who comes later. One caller who asks for it is enough.
    case finishes
  }

  /// How long after the first request began its answer is given to others. Zero: only those who come while it is under
  /// way share it. A caller never gets an answer that is older than its own window.
  public var window: Duration
  /// What a caller gets who comes after a failure, within the window.
  public var failures: Failures
  /// What becomes of the request when everyone who waited for it has left.
  public var whenAbandoned: Abandonment

  public init(
    window: Duration = .zero, failures: Failures = .replayed, whenAbandoned: Abandonment = .calledOff
  ) {
    self.window = window
    self.failures = failures
    self.whenAbandoned = whenAbandoned
  }
}
