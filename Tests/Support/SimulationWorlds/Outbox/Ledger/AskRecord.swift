/// A request of a user, and whether it was stored.
struct AskRecord: Sendable {
  enum Storing: Sendable, Hashable {
    case begun
    /// The request is stored, so it must be delivered.
    case accepted
    /// Nothing of the request is stored.
    case refused
    /// The process ended before `enqueue` returned: the request may be stored or not.
    case unknown
  }

  let ask: OutboxAsk
  var storing = Storing.begun
}
