/// The most requests and bytes that an outbox holds. Requests that have ended and are still known (delivered,
/// expired, dropped) count as bytes, too, with their responses and files. They never keep a new request out:
/// the outbox forgets the oldest of them early instead.
public struct OutboxCaps: Sendable, Hashable {
  /// The rule for a new request that would exceed the caps.
  public enum Rule: Sendable, Hashable {
    /// `enqueue` fails with `OutboxError.full`, and nothing changes.
    case refuse
    /// Drops the oldest requests, dead letters included, and publishes that. Requests that are being
    /// attempted stay.
    case dropOldest
    /// Drops the requests of the lowest priority, the oldest of them first, and publishes that. Requests of a
    /// higher priority than the new one stay, and so do requests that are being attempted.
    case dropLeastImportant
  }

  /// The most requests that are stored, being attempted or dead letters. Nil for no limit. Default: nil.
  public var count: Int?
  /// The most bytes of requests with their files, of stored responses, and of bodies that are being copied.
  /// The log and free pages of SQLite, some MB, are not included. Nil for no limit. Default: 1 GiB.
  public var bytes: Int64? = 1 << 30
  /// The rule when a cap is reached. Default: `refuse`.
  public var whenFull = Rule.refuse

  /// Creates caps with the default values.
  public init() {}
}

/// The numbers of an outbox's requests and bytes, its pauses and its held origins.
public struct OutboxStatistics: Sendable, Hashable {
  /// The number of requests in each state.
  public var counts: [OutboxState: Int] = [:]
  /// The bytes of requests that are stored, being attempted or dead letters, with their stored responses.
  public var bytes: Int64 = 0
  /// The bytes that the cap of bytes counts: `bytes`, and the bytes of requests that have ended and are still
  /// known, such as responses to delivered ones.
  package var bytesInAll: Int64 = 0
  /// When the oldest request that is stored or being attempted was stored: milliseconds since 1970.
  public var oldest: Int64?
  /// When the next attempt may begin: milliseconds since 1970. Nil if an attempt may begin now.
  package var nextDue: Int64?
  /// True if requests are stored, but without help none of them will be attempted: all of them are paused, or
  /// wait behind a dead letter that blocks their lane.
  public var isHeld = false
  /// True if the whole outbox is paused.
  public var isPaused = false
  /// The lanes that are paused individually.
  public var pausedLanes: [String] = []
  /// The origins to which nothing is sent for a while, and why.
  package var heldOrigins: [OriginHold] = []

  /// Creates the statistics of an empty outbox.
  package init() {}
}
