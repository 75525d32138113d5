public import ErrandCore
public import ErrandUploads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request to enqueue, and how the outbox delivers it.
public struct OutboxItem: Sendable {
  /// The request to store.
  public var request: Request
  /// The lane, whose requests are sent one at a time, in the order in which they were enqueued. Nil for a
  /// request that waits for no other. Default: nil.
  public var lane: String?
  /// A group of requests within an origin, such as those of one customer of a shared host. Requests with the
  /// same key and origin share a limit, a breaker, a backoff and pauses, separately from all other requests.
  /// Nil to ask `OutboxConfiguration.keyOf`, and if that returns nil, for the whole origin. Default: nil.
  public var key: String?
  /// The priority. Nil for the priority of the request. Default: nil.
  public var priority: Priority?
  /// The time from now in which the request may be delivered. In contrast, the request's deadline applies to
  /// each attempt. Nil for `OutboxConfiguration.lifetime`. Default: nil.
  public var expires: Duration?
  /// When the first attempt may begin. A wall clock that is set later does not change the wait. The requests
  /// behind it in its lane wait, too. Nil for at once. Default: nil.
  public var notBefore: Date?
  /// The id. Nil for a new one. The outbox remembers the ids of requests that have ended for
  /// `OutboxConfiguration.retention`. Default: nil.
  public var id: OutboxID?
  /// The rule for an item whose id the outbox knows already. Default: `ignore`.
  public var ifKnown = IfKnown.ignore
  /// Whether and how the upload of the body continues after an interruption, with the next attempt, by the IETF's
  /// Resumable Uploads for HTTP or tus 1.0. The upload's URL is stored before the bytes that follow it are sent, so that
  /// it continues after a crash, too. Attempts that make progress do not count towards `DeliveryPolicy.maxAttempts`. A
  /// server without support gets one request, which begins anew with each attempt.
  ///
  /// `folder` and `isRemovedWhenCancelled` do not matter here. A `BackgroundDelivery` sends such a request as any other.
  /// Default: nil, each attempt sends the whole body.
  public var resuming: UploadResumption?
  /// The name of the file of an imported request.
  var uploadName: String?
  /// True if the lane waits while this request is a dead letter.
  var holdsLane = false
  /// The body of an imported request, which is assembled separately from the request.
  var pieces: BodyPieces?
  /// When an imported request expires: milliseconds since 1970. If it is set, `expires` is ignored.
  var expiry: Int64?

  /// Creates an item from a request and the values of its properties.
  public init(
    _ request: Request, lane: String? = nil, key: String? = nil, priority: Priority? = nil,
    expires: Duration? = nil, notBefore: Date? = nil, id: OutboxID? = nil, ifKnown: IfKnown = .ignore,
    resuming: UploadResumption? = nil
  ) {
    self.request = request
    self.lane = lane
    self.key = key
    self.priority = priority
    self.expires = expires
    self.notBefore = notBefore
    self.id = id
    self.ifKnown = ifKnown
    self.resuming = resuming
  }

  /// Returns the item with an id, and its request with an idempotency key.
  func named(_ id: OutboxID, key: @autoclosure () -> String) -> OutboxItem {
    var item = self
    item.id = id
    if !request.fields.contains("Idempotency-Key") { item.request = request.idempotencyKey(key()) }
    return item
  }
}
