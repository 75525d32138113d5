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
