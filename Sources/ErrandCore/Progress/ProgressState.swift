/// The rules of progress: monotone within a try, never past a total, each try announced, nothing delivered twice.
struct ProgressState: Sendable {
  /// What waits to be delivered: the last word of each try that was not told yet.
  private var waiting: [TransferProgress] = []
  private var current = TransferProgress(attempt: 0)
  private var isDelivering = false

  init() {}

  /// A try begins (a redirect's transfers are one try). Returns true if a delivery must be started.
  mutating func begin(attempt: Int, sentTotal: Int64?) -> Bool {
    guard attempt != current.attempt else { return false }
    var next = TransferProgress(attempt: attempt)
    next.sentTotal = sentTotal
    current = next
    waiting.append(next)
    return startDelivery()
  }

  mutating func sent(_ bytes: Int64) -> Bool {
    update { $0.sent = max($0.sent, min(bytes, $0.sentTotal ?? .max)) }
  }

  /// The answer begins: `start` bytes are here already, `total` are expected.
  mutating func receiving(from start: Int64, total: Int64?) -> Bool {
    update {
      $0.receivedTotal = total
      $0.received = start
    }
  }

  mutating func received(_ count: Int64) -> Bool {
    update { $0.received = min($0.received + count, $0.receivedTotal ?? .max) }
  }

  /// The next to be delivered; nil ends the delivery.
  mutating func next() -> TransferProgress? {
    if waiting.isEmpty {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }

  private mutating func update(_ change: (inout TransferProgress) -> Void) -> Bool {
    let before = current
    change(&current)
    guard current != before else { return false }
    if waiting.last?.attempt == current.attempt, waiting.count > 1 || !isFirstWord(waiting[0]) {
      waiting[waiting.count - 1] = current
    } else {
      waiting.append(current)
    }
    return startDelivery()
  }

  /// A try's first word is kept apart, so that its beginning is always told.
  private func isFirstWord(_ progress: TransferProgress) -> Bool {
    progress.sent == 0 && progress.received == 0 && progress.receivedTotal == nil
  }

  private mutating func startDelivery() -> Bool {
    defer { isDelivering = true }
    return !isDelivering
  }
}
