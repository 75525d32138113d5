/// The progress of a call. Within one attempt, no number decreases or exceeds its total.
///
/// A new attempt has a higher `attempt`. Its numbers start at zero or, if a download resumes, at the bytes on
/// disk.
public struct TransferProgress: Sendable, Hashable {
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// The number of bytes of the request's body that were sent.
  public var sent: Int64 = 0
  /// The total number of bytes to send; nil if it is not known.
  public var sentTotal: Int64?
  /// The number of bytes of the response's body that were received.
  public var received: Int64 = 0
  /// The total number of bytes to receive; nil if it is not known.
  public var receivedTotal: Int64?

  /// Creates the progress of an attempt that has transferred nothing.
  /// - Parameter attempt: The number of the attempt, from 1.
  package init(attempt: Int) { self.attempt = attempt }
}

/// Receives progress reports, one call at a time and never on a transport's thread.
///
/// The last call ends before the response is returned. A slow handler misses intermediate reports, but never
/// the last one of an attempt.
public typealias ProgressHandler = @Sendable (TransferProgress) -> Void

/// Tracks the progress of one call. Within an attempt no number decreases or exceeds its total.
struct ProgressTracker: Sendable {
  private(set) var current = TransferProgress(attempt: 0)
  /// The bytes received in this transfer. An attempt can have several transfers (redirects), but `received`
  /// must not decrease.
  private var arrived: Int64 = 0

  init() {}

  /// Begins an attempt. Its later transfers change nothing. Returns true if anything changed, like the other
  /// methods.
  mutating func begin(attempt: Int, sentTotal: Int64?) -> Bool {
    guard attempt != current.attempt else { return false }
    current = TransferProgress(attempt: attempt)
    current.sentTotal = sentTotal
    return true
  }

  mutating func sent(_ bytes: Int64) -> Bool {
    update { $0.sent = max($0.sent, min(bytes, $0.sentTotal ?? .max)) }
  }

  /// Records the beginning of a response: `start` bytes were received before, and `total` bytes are expected.
  mutating func receiving(from start: Int64, total: Int64?) -> Bool {
    arrived = start
    return update {
      $0.received = max($0.received, start)
      if let total { $0.receivedTotal = max(total, $0.received, $0.receivedTotal ?? 0) }
    }
  }

  mutating func received(_ count: Int64) -> Bool {
    // The start offset comes from the server, so the sum may overflow.
    let (sum, isTooMuch) = arrived.addingReportingOverflow(count)
    arrived = isTooMuch ? .max : sum
    return update { [arrived] in $0.received = max($0.received, min(arrived, $0.receivedTotal ?? .max)) }
  }

  /// Merges the reports of another tracker, which may come in any order.
  mutating func follow(_ progress: TransferProgress) -> Bool {
    update { $0 = $0.merged(with: progress) }
  }

  private mutating func update(_ change: (inout TransferProgress) -> Void) -> Bool {
    let before = current
    change(&current)
    return current != before
  }
}

extension TransferProgress {
  /// Returns the progress of the later attempt or, within the same attempt, the larger of the numbers.
  func merged(with other: TransferProgress) -> TransferProgress {
    guard other.attempt == attempt else { return other.attempt > attempt ? other : self }
    var merged = self
    merged.sent = max(sent, other.sent)
    merged.received = max(received, other.received)
    merged.sentTotal = other.sentTotal ?? sentTotal
    if let total = other.receivedTotal { merged.receivedTotal = max(total, receivedTotal ?? 0) }
    return merged
  }
}
