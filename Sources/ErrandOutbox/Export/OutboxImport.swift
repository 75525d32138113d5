/// The result of an import.
public struct OutboxImport: Sendable, Hashable {
  /// The number of requests that were stored.
  public internal(set) var stored = 0
  /// The number of requests that were left as they are, because their ids are known in this outbox: it still
  /// has them, or it remembers that they were delivered, expired or dropped.
  public internal(set) var known = 0

}
