public import ErrandCore

/// A request to enqueue, and how the outbox delivers it.
public struct OutboxItem: Sendable {
  public var request: Request
  /// The lane: its requests are sent one at a time, in the order in which they were enqueued. Nil for a
  /// request that waits for no other.
  public var lane: String?
  /// The priority. Nil for the request's own.
  public var priority: Priority?
  /// How long from now it may be delivered. Nil for the request's deadline, or else
  /// `OutboxConfiguration.lifetime`.
  public var expires: Duration?
  /// The id. Nil for a new one. Enqueuing an item whose id is in the outbox already changes nothing.
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
