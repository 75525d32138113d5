public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
  /// When its first attempt may begin, by the clock of now: a clock that is set later does not move it. The requests
  /// behind it in its lane wait, too. Nil for at once.
  public var notBefore: Date?
  /// The id. Nil for a new one. Ids of requests that are over are remembered for `OutboxConfiguration.retention`.
  public var id: OutboxID?
  /// What happens if the outbox knows the id already. Default: `ignore`.
  public var ifKnown = IfKnown.ignore
  /// True if the lane waits while this request is a dead letter.
  var holdsLane = false
  /// The body of an imported request, which is put together apart from the request.
  var pieces: BodyPieces?
  /// When an imported request expires: milliseconds since 1970. `expires` is ignored then.
  var expiry: Int64?

  public init(
    _ request: Request, lane: String? = nil, key: String? = nil, priority: Priority? = nil,
    expires: Duration? = nil, notBefore: Date? = nil, id: OutboxID? = nil, ifKnown: IfKnown = .ignore
  ) {
    self.request = request
    self.lane = lane
    self.key = key
    self.priority = priority
    self.expires = expires
    self.notBefore = notBefore
    self.id = id
    self.ifKnown = ifKnown
  }

  /// Returns the item with an id, and its request with an idempotency key.
  func named(_ id: OutboxID, key: @autoclosure () -> String) -> OutboxItem {
    var item = self
    item.id = id
    if !request.fields.contains("Idempotency-Key") { item.request = request.idempotencyKey(key()) }
    return item
  }
}
