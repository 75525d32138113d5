/// What an import did.
public struct OutboxImport: Sendable, Hashable {
  /// The requests that were stored.
  public internal(set) var stored = 0
  /// The requests that were left as they are, because this outbox knows their names already: it still has them, or it
  /// remembers that they were delivered, expired or dropped.
  public internal(set) var known = 0

}
