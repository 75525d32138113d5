public import ErrandCore

/// A request to enqueue, and how the outbox delivers it.
public struct OutboxItem: Sendable {
  public var request: Request
  /// The lane: its requests are sent one at a time, in the order in which they were enqueued. Nil for a
  /// request that waits for no other.
  public var lane: String?
  /// Whom the request is for, where several share one host: requests with the same key and origin have a limit, a breaker,
  /// backoff and pauses in common, apart from those of all others. Nil for `OutboxConfiguration.keyOf`, or else for the
  /// origin.
  public var key: String?
  /// The priority. Nil for the request's own.
  public var priority: Priority?
  /// How long from now it may be delivered; the request's deadline is that of each attempt. Nil for
  /// `OutboxConfiguration.lifetime`.
  public var expires: Duration?
  /// The id. Nil for a new one. Enqueuing an item whose id is in the outbox already changes nothing.
  public var id: OutboxID?
  /// True if the lane waits while this request is a dead letter.
  var holdsLane = false
  /// The body of an imported request, which is put together apart from the request.
  var pieces: BodyPieces?
  /// When an imported request expires: milliseconds since 1970. `expires` is ignored then.
  var expiry: Int64?

  public init(
    _ request: Request, lane: String? = nil, key: String? = nil, priority: Priority? = nil,
    expires: Duration? = nil, id: OutboxID? = nil
  ) {
    self.request = request
    self.lane = lane
    self.key = key
    self.priority = priority
    self.expires = expires
    self.id = id
  }

  /// Returns the item with an id, and its request with an idempotency key.
  func named(_ id: OutboxID, key: @autoclosure () -> String) -> OutboxItem {
    var item = self
    item.id = id
    if !request.fields.contains("Idempotency-Key") { item.request = request.idempotencyKey(key()) }
    return item
  }
}
