import ErrandCore

/// A request to store, and how.
struct RowDraft: Sendable {
  let id: OutboxID
  let request: Request
  /// The idempotency key, used if the request has none.
  let key: String
  /// The body, if the request has none because its body is put together separately.
  var body: BodyPieces?
  /// The lane: its requests are sent one at a time, in order. Nil for a request that waits for no other.
  var lane: String?
  /// True if the lane waits while this request is a dead letter.
  var holdsLane = false
  /// How long the request may take to be delivered. Nil for the request's deadline; without one there is no
  /// limit.
  var lifetime: Duration?
  /// When the request expires, if that was fixed before: milliseconds since 1970. `lifetime` is ignored then.
  var expires: Int64?

  init(id: OutboxID, request: Request, key: String) {
    self.id = id
    self.request = request
    self.key = key
  }
}
