@testable import ErrandCore

/// What a progress handler was told, in order.
final class Told: Sendable {
  private let state = Locked<[TransferProgress]>([])

  var words: [TransferProgress] { state.withLock { $0 } }

  /// The handler.
  var hear: ProgressHandler {
    { progress in self.state.withLock { $0.append(progress) } }
  }

  /// Within a try nothing went down or past its total, and no try came back.
  var isMonotone: Bool {
    zip(words, words.dropFirst()).allSatisfy { old, new in
      new.attempt > old.attempt
        || new.attempt == old.attempt && new.sent >= old.sent && new.received >= old.received
    } && words.allSatisfy { $0.received <= $0.receivedTotal ?? .max && $0.sent <= $0.sentTotal ?? .max }
  }
}
