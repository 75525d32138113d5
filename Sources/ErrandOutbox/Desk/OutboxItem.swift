public import ErrandCore

/// A request on its way into an outbox, and how it wants to be treated there.
public struct OutboxItem: Sendable {
  public var request: Request
  /// Requests of one lane go one at a time, in the order in which they were enqueued; nil for one that waits for none.
  public var lane: String?
  /// How soon it is wanted. Nil: as the request says.
  public var priority: Priority?
  /// How long from now it may be delivered. Nil: as the outbox is configured.
  public var expires: Duration?
  /// Its name. Nil for a new one. Enqueuing what has the name of one that is there already changes nothing.
  public var id: OutboxID?

  public init(
    _ request: Request, lane: String? = nil, priority: Priority? = nil, expires: Duration? = nil,
    id: OutboxID? = nil
  ) {
    self.request = request
    self.lane = lane
    self.priority = priority
    self.expires = expires
    self.id = id
  }
}
