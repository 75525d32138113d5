/// What is done when a request is sent that was sent already.
///
/// The same means: the same method, URL (with its query in any order), body and credentials; a key overrides all but the
/// credentials, named fields add to it. A response is shared only if every other field is the same, too, whatever the key:
/// any field may be a credential, or choose the response; and with it where its redirects may lead, its memory limit and its
/// version of HTTP, as far as the request says so. The exceptions are `User-Agent`, `Accept-Encoding` and what
/// traces a request (`traceparent`, `tracestate`, `baggage`, `b3`, `X-B3-…`, `X-Request-ID`, `X-Correlation-ID`,
/// `X-Amzn-Trace-Id`, `X-Cloud-Trace-Context`, `uber-trace-id`).
public struct RepeatRule: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case ignoring(within: Duration, untilFailed: Bool)
    case sharing(SharingPolicy)
    case latest
  }

  let kind: Kind
  /// The key that was chosen, or nil for the request's own.
  let key: RequestKey?
  /// The fields that are part of the request's own key.
  let fields: [String]

  /// True if a response may reach somebody who did not ask for it.
  var sharesResponses: Bool {
    if case .sharing = kind { true } else { false }
  }

  /// A repeat is not sent; it fails at once with `ignoredRepeat`. Those that were ignored do not prolong the interval.
  /// - Parameters:
  ///   - interval: How long after a request was sent others like it are ignored. Default: 3 s.
  ///   - untilFailed: Others are ignored no longer once it has failed. One that certainly never left for the server never
  ///     has others ignored. Default: false.
  ///   - key: What makes them the same. Default: the request's own key.
  ///   - fields: Names of fields that are part of the request's own key.
  public static func ignoring(
    within interval: Duration = .seconds(3), untilFailed: Bool = false, key: RequestKey? = nil,
    fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .ignoring(within: interval, untilFailed: untilFailed), key: key, fields: fields)
  }

  /// One request is sent, and everyone gets its answer, if all of their fields are the same.
  /// - Parameters:
  ///   - key: What makes them the same, besides their fields. Default: the request's own key.
  ///   - fields: Names of fields that have to be the same as well, of those that need not be otherwise.
  public static func sharing(
    _ policy: SharingPolicy = SharingPolicy(), key: RequestKey? = nil, fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .sharing(policy), key: key, fields: fields)
  }

  /// The newest wins: it calls off the one before it, which then is never answered.
  /// - Parameters:
  ///   - key: What makes them the same. Default: the request's own key.
  ///   - fields: Names of fields that are part of the request's own key.
  public static func latest(_ key: RequestKey? = nil, fields: [String] = []) -> RepeatRule {
    RepeatRule(kind: .latest, key: key, fields: fields)
  }
}
