/// What is done when a request is sent that was sent already.
///
/// The same means: the same method, URL (with its query in any order), body and credentials; a key overrides all but the
/// credentials, named fields add to it.
public struct RepeatRule: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case ignoring(within: Duration)
    case sharing(SharingPolicy)
    case latest
  }

  let kind: Kind
  /// The key that was chosen, or nil for the request's own.
  let key: RequestKey?
  /// The fields that are part of the request's own key.
  let fields: [String]

  /// A repeat is not sent; it fails at once with `ignoredRepeat`. Those that were ignored do not prolong the interval.
  /// - Parameters:
  ///   - interval: How long after a request was sent others like it are ignored. Default: 3 s.
  ///   - key: What makes them the same. Default: the request's own key.
  ///   - fields: Names of fields that are part of the request's own key.
  public static func ignoring(
    within interval: Duration = .seconds(3), key: RequestKey? = nil, fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .ignoring(within: interval), key: key, fields: fields)
  }

  /// One request is sent, and everyone gets its answer. The fields that choose an answer (`Accept`, `Range` and their
  /// like) are always part of the request's own key.
  /// - Parameters:
  ///   - key: What makes them the same. Default: the request's own key.
  ///   - fields: Names of further fields that are part of the request's own key.
  public static func sharing(
    _ policy: SharingPolicy = SharingPolicy(), key: RequestKey? = nil, fields: [String] = []
  ) -> RepeatRule {
    RepeatRule(kind: .sharing(policy), key: key, fields: fieldsThatChoose + fields)
  }

  /// The newest wins: it calls off the one before it, which then is never answered.
  /// - Parameters:
  ///   - key: What makes them the same. Default: the request's own key.
  ///   - fields: Names of fields that are part of the request's own key.
  public static func latest(_ key: RequestKey? = nil, fields: [String] = []) -> RepeatRule {
    RepeatRule(kind: .latest, key: key, fields: fields)
  }

  /// With another value of one of these a server gives another answer to the same question (RFC 9110, sections 12 to 14).
  private static let fieldsThatChoose = [
    "Accept", "Accept-Language", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
    "If-Unmodified-Since",
  ]
}
