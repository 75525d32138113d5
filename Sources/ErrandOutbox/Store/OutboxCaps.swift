/// How much an outbox holds. Requests that are over and still known (delivered, expired, dropped) count as
/// bytes, too, with their responses and files; but they never keep a request out: they are forgotten early
/// then, the oldest first.
public struct OutboxCaps: Sendable, Hashable {
  /// The rule when there is no capacity for a new request.
  public enum Rule: Sendable, Hashable {
    /// `enqueue` fails with `OutboxError.full`, and nothing changes.
    case refuse
    /// Drops the requests that were stored first, dead letters included, and publishes that. Requests that
    /// are being attempted stay.
    case dropOldest
    /// Drops the requests of the lowest priority, of these the oldest first, and publishes that; but none of
    /// a higher priority than the new one. Requests that are being attempted stay.
    case dropLeastImportant
  }

  /// The most requests that are stored, being attempted or dead letters. Default: no limit.
  public var count: Int?
  /// The most bytes: of requests with their files, of stored responses, and of what is being copied. SQLite's
  /// own log and free pages, some MB, are not included. Default: 1 GiB.
  public var bytes: Int64? = 1 << 30
  /// The rule when a cap is reached. Default: `refuse`.
  public var whenFull = Rule.refuse

  public init() {}
}

/// How much an outbox holds, and how long it has waited.
public struct OutboxStatistics: Sendable, Hashable {
  /// The number of requests in each state.
  public var counts: [OutboxState: Int] = [:]
  /// The bytes of requests that are stored, being attempted or dead letters, with their stored responses.
  public var bytes: Int64 = 0
  /// The same, and the bytes of requests that are over and still known, such as responses to delivered ones:
  /// all that the cap of bytes counts.
  public var bytesInAll: Int64 = 0
  /// When the oldest request that is stored or being attempted was stored: milliseconds since 1970.
  public var oldest: Int64?
  /// When the next attempt may begin, if none may now: milliseconds since 1970.
  public var nextDue: Int64?
  /// True if requests are stored, but none of them may be attempted, now or later, without help: all are
  /// paused, or behind a dead letter that blocks its lane.
  public var isHeld = false
  /// True if everything is paused.
  public var isPaused = false
  /// The lanes that are paused by name.
  public var pausedLanes: [String] = []
  /// The origins to which nothing is sent for a while, and why.
  public var heldOrigins: [OriginHold] = []

  public init() {}
}
