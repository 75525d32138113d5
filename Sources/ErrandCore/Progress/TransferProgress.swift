/// How far a call is. Within one try no number ever goes down or past its total; a new try begins again from zero
/// (or, for a download that resumes, from what is there already), and says so with a higher `attempt`.
public struct TransferProgress: Sendable, Hashable {
  /// Which try this is, from 1.
  public var attempt: Int
  /// Bytes of the request's body that went out.
  public var sent: Int64 = 0
  /// How many will go out, if known.
  public var sentTotal: Int64?
  /// Bytes of the answer's body that are here.
  public var received: Int64 = 0
  /// How many there will be, if known.
  public var receivedTotal: Int64?

  public init(attempt: Int) { self.attempt = attempt }
}

/// Is told of progress: one call at a time, never on a transport's thread, the last one before the answer is
/// returned. A slow handler misses intermediate numbers, never the last of a try.
public typealias ProgressHandler = @Sendable (TransferProgress) -> Void
