@testable import ErrandCore

/// Records what a progress handler gets, in order.
final class Told: Sendable {
  private let state = Locked<[TransferProgress]>([])

  var words: [TransferProgress] { state.withLock { $0 } }

  /// The handler that records.
  var hear: ProgressHandler {
    { progress in self.state.withLock { $0.append(progress) } }
  }

  /// True if no number goes down within an attempt or exceeds its total, and no attempt comes back.
  var isMonotone: Bool {
    zip(words, words.dropFirst()).allSatisfy { old, new in
      new.attempt > old.attempt
        || new.attempt == old.attempt && new.sent >= old.sent && new.received >= old.received
    } && words.allSatisfy { $0.received <= $0.receivedTotal ?? .max && $0.sent <= $0.sentTotal ?? .max }
  }
}
