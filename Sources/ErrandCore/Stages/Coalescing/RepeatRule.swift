/// The treatment of a request that is the same as one sent before.
///
/// Two requests are the same if they have the same method, URL (with its query in any order), body and
/// credentials. A key replaces all of these but the credentials; named header fields are added to them. A
/// response is shared only if every other header field is the same, too, whatever the key, because any header
/// field may be a credential or select the response; and if the requests agree on the options that `OptionMark`
/// names, as far as they set them. The exceptions are `User-Agent`, `Accept-Encoding` and the tracing
/// fields (`traceparent`, `tracestate`, `baggage`, `b3`, `X-B3-…`, `X-Request-ID`, `X-Correlation-ID`,
/// `X-Amzn-Trace-Id`, `X-Cloud-Trace-Context`, `uber-trace-id`).
package struct RepeatRule: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case ignoring(within: Duration, untilFailed: Bool)
    case sharing(SharingPolicy)
    case latest
  }

  let kind: Kind
  /// The key that was chosen, or nil for the request's own.
  let key: RequestKey?
  /// The header fields that are part of the request's own key.
  let fields: [String]

  /// True if a response may reach a caller that did not send its request.
  var sharesResponses: Bool {
    if case .sharing = kind { true } else { false }
  }

  /// Does not send a repeat; it fails at once with `ignoredRepeat`. Ignored requests do not prolong the
  /// interval.
  /// - Parameters:
  ///   - interval: How long after a request was sent the same requests are ignored. Default: 3 s.
  ///   - untilFailed: True if the interval ends early when the request fails. A request that certainly never
  ///     left for the server never has others ignored. Default: false.
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
  ///   - fields: Names of header fields that have to be the same as well, of those that are otherwise
  ///     ignored.
  package static func sharing(
    _ policy: SharingPolicy = SharingPolicy(), key: RequestKey? = nil, fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .sharing(policy), key: key, fields: fields)
  }

  /// Lets the newest request win: it cancels the previous one, which then gets no response.
  /// - Parameters:
  ///   - key: The key that makes requests the same. Default: the request's own key.
  ///   - fields: Names of header fields that are part of the request's own key.
  package static func latest(_ key: RequestKey? = nil, fields: [String] = []) -> RepeatRule {
    RepeatRule(kind: .latest, key: key, fields: fields)
  }
}

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
  package var window: Duration
  /// The outcome of a caller that comes after a failure, within the window.
  package var failures: Failures
  /// Whether the shared request is cancelled when every caller that waited for it has left.
  package var whenAbandoned: Abandonment

  package init(
    window: Duration = .zero, failures: Failures = .replayed, whenAbandoned: Abandonment = .cancelled
  ) {
    self.window = window
    self.failures = failures
    self.whenAbandoned = whenAbandoned
  }
}
