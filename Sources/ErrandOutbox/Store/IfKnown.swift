/// The rule for an item whose id the outbox knows already.
public enum IfKnown: Sendable, Hashable {
  /// Nothing is stored: the request is sent once, however often it is enqueued. The receipt is for the
  /// earlier item (`Receipt.isNew`).
  case ignore
  /// The item replaces the earlier one, if that is stored or a dead letter: of several changes to one
  /// document only the last is sent. The new item has its own idempotency key and its full number of
  /// attempts. It goes to the end of its lane if the earlier item was attempted before, or is in another
  /// lane. Receipts of the earlier item are for the new one from now on. Enqueuing fails with
  /// `OutboxError.known` if the earlier item is being sent, or has ended.
  case replace
  /// Enqueuing fails with `OutboxError.known`.
  case refuse
}
