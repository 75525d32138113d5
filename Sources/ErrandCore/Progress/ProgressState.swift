/// The rules of progress: monotone within a try, never past a total, each try announced, nothing told twice.
struct ProgressState: Sendable {
  /// What waits to be told: of each try its beginning, and behind it the newest word.
  private var waiting: [TransferProgress] = []
  private var newestIsBeginning = false
  private var current = TransferProgress(attempt: 0)
  /// What came in this transfer. A try can have several (redirects), and what was told may not shrink.
  private var arrived: Int64 = 0
  private var isDelivering = false

  init() {}

  /// A try begins; its later transfers change nothing. Returns true if a delivery must be started.
  mutating func begin(attempt: Int, sentTotal: Int64?) -> Bool {
    guard attempt != current.attempt else { return false }
    current = TransferProgress(attempt: attempt)
    current.sentTotal = sentTotal
    waiting.append(current)
    newestIsBeginning = true
    return startDelivery()
  }

  mutating func sent(_ bytes: Int64) -> Bool {
    update { $0.sent = max($0.sent, min(bytes, $0.sentTotal ?? .max)) }
  }

  /// The answer begins: `start` bytes are here already, `total` are expected.
  mutating func receiving(from start: Int64, total: Int64?) -> Bool {
    arrived = start
    return update {
      $0.received = max($0.received, start)
      if let total { $0.receivedTotal = max(total, $0.received, $0.receivedTotal ?? 0) }
    }
  }

  mutating func received(_ count: Int64) -> Bool {
    arrived += count
    return update { [arrived] in $0.received = max($0.received, min(arrived, $0.receivedTotal ?? .max)) }
  }

  /// The next to be told; nil ends the delivery.
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
    if newestIsBeginning || waiting.isEmpty {
      waiting.append(current)
    } else {
      waiting[waiting.count - 1] = current
    }
    newestIsBeginning = false
    return startDelivery()
  }

  private mutating func startDelivery() -> Bool {
    defer { isDelivering = true }
    return !isDelivering
  }
}
