/// How much an outbox holds. What is delivered, expired or dropped does not count; what is set aside does.
public struct OutboxCaps: Sendable, Hashable {
  /// What happens when a request comes for which there is no room.
  public enum Rule: Sendable, Hashable {
    /// `enqueue` fails with `OutboxError.full`, and nothing changes.
    case refuse
    /// Those that were stored first are dropped, also what was set aside, and that is told. What is being tried stays.
    case dropOldest
    /// The least important are dropped, of these the oldest first, and that is told; but none that is more important
    /// than the one that comes. What is being tried stays.
    case dropLeastImportant
  }

  /// The most requests. Default: no limit.
  public var count: Int?
  /// The most bytes, with those of files. Default: 1 GiB.
  public var bytes: Int64? = 1 << 30
  /// Default: `refuse`.
  public var whenFull = Rule.refuse

  public init() {}
}
