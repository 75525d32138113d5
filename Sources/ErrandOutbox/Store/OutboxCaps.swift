/// How much an outbox holds. What is over and still known (delivered, expired, dropped) takes room of the bytes, too, with its
/// answer and its files; but it never keeps anything out: it is forgotten early then, the oldest first.
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

  /// The most requests that are stored, being tried or set aside. Default: no limit.
  public var count: Int?
  /// The most bytes: of requests with their files, of answers that are kept, and of what is being copied. SQLite's own log and
  /// free pages, some MB, come on top. Default: 1 GiB.
  public var bytes: Int64? = 1 << 30
  /// Default: `refuse`.
  public var whenFull = Rule.refuse

  public init() {}
}
