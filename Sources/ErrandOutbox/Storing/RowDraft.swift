import ErrandCore

/// A request that is to be stored, and how.
struct RowDraft: Sendable {
  let id: OutboxID
  let request: Request
  /// Its idempotency key, unless it has one.
  let key: String
  /// Its body, if the request has none because it is still to be put together.
  var body: BodyPieces?
  /// Requests of one lane go one at a time, in order; nil for one that waits for none.
  var lane: String?
  /// True if its lane waits when it is set aside.
  var holdsLane = false
  /// How long it may take to be delivered. Nil for as long as the request's deadline says; as long as it takes, without one.
  var lifetime: Duration?
  /// When it expires, if that has been said before: milliseconds since 1970. Then `lifetime` does not count.
  var expires: Int64?

  init(id: OutboxID, request: Request, key: String) {
    self.id = id
    self.request = request
    self.key = key
  }
}
