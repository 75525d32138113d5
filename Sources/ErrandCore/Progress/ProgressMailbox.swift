/// The reports that one listener has yet to receive: for each attempt its first report, and after it the
/// newest.
struct ProgressMailbox: Sendable {
  private var waiting: [TransferProgress] = []
  private var newest = TransferProgress(attempt: 0)
  private var newestIsBeginning = false
  private var isDelivering = false

  init() {}

  /// Takes a report, which may be older than a previous one. Returns true if a delivery must be started.
  mutating func post(_ progress: TransferProgress) -> Bool {
    let word = newest.merged(with: progress)
    guard word != newest else { return false }
    let isBeginning = word.attempt != newest.attempt
    if isBeginning || newestIsBeginning || waiting.isEmpty {
      waiting.append(word)
    } else {
      waiting[waiting.count - 1] = word
    }
    newest = word
    newestIsBeginning = isBeginning
    defer { isDelivering = true }
    return !isDelivering
  }

  /// Returns the next report to deliver; nil ends the delivery.
  mutating func next() -> TransferProgress? {
    if waiting.isEmpty {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }
}
