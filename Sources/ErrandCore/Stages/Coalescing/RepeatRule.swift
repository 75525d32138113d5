/// The treatment of a request that is the same as one sent before.
///
/// Two requests are the same if they have the same method, URL (with its query in any order), body and
/// credentials. A chosen key replaces all of these except the credentials. Named header fields are added to
/// them.
///
/// A response is shared only if every other header field is the same, too, whatever the key, because any
/// header field may be a credential or select the response. The requests must also agree on the options that
/// `OptionMark` names, as far as they set them. The exceptions are `User-Agent`, `Accept-Encoding` and the
/// tracing fields (`traceparent`, `tracestate`, `baggage`, `b3`, `X-B3-…`, `X-Request-ID`,
/// `X-Correlation-ID`, `X-Amzn-Trace-Id`, `X-Cloud-Trace-Context`, `uber-trace-id`).
package struct RepeatRule: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case ignoring(within: Duration, untilFailed: Bool)
    case sharing(SharingPolicy)
    case latest
  }

  let kind: Kind
  /// The chosen key; nil for the request's own key.
  let key: RequestKey?
  /// The header fields that are part of the request's own key.
  let fields: [String]

  /// True if a response may reach a caller that did not send its request.
  var sharesResponses: Bool {
    if case .sharing = kind { true } else { false }
  }

  /// Ignores repeats: they are not sent, and fail at once with `ignoredRepeat`. Ignored requests do not
  /// prolong the interval.
  /// - Parameters:
  ///   - interval: How long after a request was sent its repeats are ignored. Default: 3 s.
  ///   - untilFailed: True if the interval ends early when the request fails. A request that certainly never
  ///     left for the server never causes others to be ignored. Default: false.
  ///   - key: The key that makes requests the same. Default: the request's own key.
  ///   - fields: Names of header fields that are part of the request's own key.
  package static func ignoring(
    within interval: Duration = .seconds(3), untilFailed: Bool = false, key: RequestKey? = nil,
    fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .ignoring(within: interval, untilFailed: untilFailed), key: key, fields: fields)
  }

  /// Sends one request, and gives its response to every caller whose header fields are the same.
  /// - Parameters:
  ///   - key: The key that makes requests the same, besides their header fields. Default: the request's own
  ///     key.
  ///   - fields: Names of header fields that must be the same, too, although they are otherwise ignored.
  package static func sharing(
    _ policy: SharingPolicy = SharingPolicy(), key: RequestKey? = nil, fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .sharing(policy), key: key, fields: fields)
  }

  /// Lets the newest request win. It cancels the previous one, which then gets no response.
  /// - Parameters:
  ///   - key: The key that makes requests the same. Default: the request's own key.
  ///   - fields: Names of header fields that are part of the request's own key.
  package static func latest(_ key: RequestKey? = nil, fields: [String] = []) -> RepeatRule {
    RepeatRule(kind: .latest, key: key, fields: fields)
  }
}

/// How requests that are the same share one response.
///
/// The first request becomes the in-flight request, and begins a window. The state of both decides how the
/// next request is treated:
///
/// ```
///                   response pending            response arrived
///                ┌────────────────────┐     ┌────────────────────┐
///   window open  │      joins it      │ ──▶ │   gets it at once  │
///                └─────────┬──────────┘     └─────────┬──────────┘
///                          ▼                          ▼
///                ┌────────────────────┐     ┌────────────────────┐
///   window ended │   joins it still   │ ──▶ │  begins a new one  │
///                └────────────────────┘     └────────────────────┘
/// ```
///
/// A caller that is cancelled leaves alone. When the last caller has left, the in-flight request is cancelled
/// (see `whenAbandoned`), and the next caller begins a new one.
public struct SharingPolicy: Sendable, Hashable {
  /// The outcome of a caller that arrives within the window, after the shared request has failed.
  public enum Failures: Sendable, Hashable {
    /// The caller gets the same failure, at once.
    case replayed
    /// The caller begins a new request.
    case retried
  }

  /// Whether the shared request is cancelled when all its callers have left.
  public enum Abandonment: Sendable, Hashable {
    /// The request is cancelled.
    case cancelled
    /// The request continues, and later callers get its response within the window. One caller with this
    /// policy is enough.
    case finishes
  }

  /// How long after the first request began its response is given to other callers. With zero, only callers
  /// that arrive while the request is in flight share it. A caller never gets a response that is older than
  /// the caller's window.
  package var window: Duration
  /// The outcome of a caller that arrives after a failure, within the window.
  package var failures: Failures
  /// Whether the shared request is cancelled when all its callers have left.
  package var whenAbandoned: Abandonment

  package init(
    window: Duration = .zero, failures: Failures = .replayed, whenAbandoned: Abandonment = .cancelled
  ) {
    self.window = window
    self.failures = failures
    self.whenAbandoned = whenAbandoned
  }
}
