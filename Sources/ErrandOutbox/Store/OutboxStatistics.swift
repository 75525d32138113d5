/// How much an outbox holds, and how long it has waited.
public struct OutboxStatistics: Sendable, Hashable {
  /// The requests in each state.
  public var counts: [OutboxState: Int] = [:]
  /// The bytes of what is stored, being tried or set aside, with the answers that are kept of it.
  public var bytes: Int64 = 0
  /// The same with what is over and still kept, such as the answers to what was delivered: all that the cap of bytes counts.
  public var bytesInAll: Int64 = 0
  /// When the oldest that is stored or being tried was stored: milliseconds since 1970.
  public var oldest: Int64?
  /// When the next may be tried, if none may now: milliseconds since 1970.
  public var nextDue: Int64?
  /// True if something is stored, but nothing of it may be tried, now or later, until somebody helps: all of it is paused, or
  /// behind what is set aside and holds its lane.
  public var isHeld = false
  /// True if everything is paused.
  public var isPaused = false
  /// The lanes that are paused by name.
  public var pausedLanes: [String] = []
  /// The origins of which nothing is tried for a while, and why.
  public var heldOrigins: [OriginHold] = []

  public init() {}
}
