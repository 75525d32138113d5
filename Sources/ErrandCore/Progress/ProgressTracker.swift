/// Tracks the progress of one call. Within an attempt no number decreases or exceeds its total.
struct ProgressTracker: Sendable {
  private(set) var current = TransferProgress(attempt: 0)
  /// The bytes received in this transfer. An attempt can have several transfers (redirects), and `received`
  /// must not decrease.
  private var arrived: Int64 = 0

  init() {}

  /// Begins an attempt; its later transfers change nothing. Returns true if anything changed, as the other
  /// methods do.
  mutating func begin(attempt: Int, sentTotal: Int64?) -> Bool {
    guard attempt != current.attempt else { return false }
    current = TransferProgress(attempt: attempt)
    current.sentTotal = sentTotal
    return true
  }

  mutating func sent(_ bytes: Int64) -> Bool {
    update { $0.sent = max($0.sent, min(bytes, $0.sentTotal ?? .max)) }
  }

  /// Notes the beginning of a response: `start` bytes were received before, `total` are expected.
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

  /// Merges another tracker's reports, which may come in any order.
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
  /// Returns the larger of the two values, number by number.
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
