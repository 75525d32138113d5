/// How requests that are the same share one response.
///
/// The first request becomes the in-flight request, and begins a window. The state of both decides what the
/// next request does:
///
/// ```
///                   response pending            response here
///                ┌────────────────────┐     ┌────────────────────┐
///   window open  │      joins it      │ ──▶ │   gets it at once  │
///                └─────────┬──────────┘     └─────────┬──────────┘
///                          ▼                          ▼
///                ┌────────────────────┐     ┌────────────────────┐
///   window over  │   joins it still   │ ──▶ │  begins a new one  │
///                └────────────────────┘     └────────────────────┘
/// ```
///
/// A caller that is cancelled leaves alone; when the last has left, the in-flight request is cancelled (see
/// `whenAbandoned`) and the next caller begins a new one.
public struct SharingPolicy: Sendable, Hashable {
  /// The outcome of a caller that comes within the window, after the shared request has failed.
  public enum Failures: Sendable, Hashable {
    /// The caller gets the same failure, at once.
    case replayed
    /// The caller begins a new request.
    case retried
  }

  /// Whether the shared request is cancelled when every caller that waited for it has left.
  public enum Abandonment: Sendable, Hashable {
    /// The request is cancelled.
    case cancelled
    /// The request goes on, and within the window its response is there for later callers. One caller with
    /// this policy is enough.
    case finishes
  }

  /// How long after the first request began its response is given to others. Zero: only callers that come
  /// while it is in flight share it. A caller never gets a response that is older than its own window.
  public var window: Duration
  /// The outcome of a caller that comes after a failure, within the window.
  public var failures: Failures
  /// Whether the shared request is cancelled when every caller that waited for it has left.
  public var whenAbandoned: Abandonment

  public init(
    window: Duration = .zero, failures: Failures = .replayed, whenAbandoned: Abandonment = .cancelled
  ) {
    self.window = window
    self.failures = failures
    self.whenAbandoned = whenAbandoned
  }
}
