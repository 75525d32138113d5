@testable import ErrandCore

/// Records the values that a progress handler receives, in order.
final class Told: Sendable {
  private let state = Locked<[TransferProgress]>([])

  var words: [TransferProgress] { state.withLock { $0 } }

  /// The handler that records.
  var hear: ProgressHandler {
    { progress in self.state.withLock { $0.append(progress) } }
  }

  /// True if no value decreases within an attempt or exceeds its total, and no earlier attempt returns.
  var isMonotone: Bool {
    zip(words, words.dropFirst()).allSatisfy { old, new in
      new.attempt > old.attempt
        || new.attempt == old.attempt && new.sent >= old.sent && new.received >= old.received
    } && words.allSatisfy { $0.received <= $0.receivedTotal ?? .max && $0.sent <= $0.sentTotal ?? .max }
  }
}
