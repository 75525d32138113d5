/// The progress of a call. Within one attempt no number decreases or exceeds its total. A new attempt begins
/// again from zero (or, for a download that resumes, from the bytes on disk) and has a higher `attempt`.
public struct TransferProgress: Sendable, Hashable {
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// The bytes of the request's body that were sent.
  public var sent: Int64 = 0
  /// The total bytes to send, if known.
  public var sentTotal: Int64?
  /// The bytes of the response's body that were received.
  public var received: Int64 = 0
  /// The total bytes to receive, if known.
  public var receivedTotal: Int64?

  public init(attempt: Int) { self.attempt = attempt }
}

/// Receives progress reports: one call at a time, never on a transport's thread, the last one before the
/// response is returned. A slow handler misses intermediate reports, never the last of an attempt.
public typealias ProgressHandler = @Sendable (TransferProgress) -> Void
