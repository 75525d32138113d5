/// What happens to an item whose id the outbox knows already.
public enum IfKnown: Sendable, Hashable {
  /// Nothing is stored: the request is sent once, however often it is enqueued. Its receipt is for the earlier one
  /// (`Receipt.isNew`).
  case ignore
  /// The item takes the place of the earlier one, if that waits or is a dead letter: of several changes to one document
  /// only the last is sent. It has its own idempotency key, and all its attempts. If the earlier one was attempted before, or
  /// is in another lane, this one goes to the end of its lane. Receipts of the earlier one are for this
  /// one from now on. Enqueuing fails with `OutboxError.known` if the earlier one is being sent, or is over.
  case replace
  /// Enqueuing fails with `OutboxError.known`.
  case refuse
}
