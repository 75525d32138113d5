import ErrandCore

/// Records the calls of a progress handler and checks the rules of progress.
final class ProgressLog: Sendable {
  private let entries = Locked<[TransferProgress]>([])

  init() {}

  func append(_ progress: TransferProgress) { entries.withLock { $0.append(progress) } }

  var all: [TransferProgress] { entries.withLock { $0 } }

  /// The first broken rule, or nil. Within an attempt no number may decrease or exceed its total,
  /// and attempts must follow each other.
  var problem: String? {
    let all = all
    for progress in all {
      if let total = progress.sentTotal, progress.sent > total { return "\(progress) exceeds its total" }
      if let total = progress.receivedTotal, progress.received > total {
        return "\(progress) exceeds its total"
      }
    }
    for (before, after) in zip(all, all.dropFirst()) {
      if after.attempt < before.attempt { return "\(after) comes after \(before)" }
      guard after.attempt == before.attempt else { continue }
      if after.sent < before.sent || after.received < before.received {
        return "\(after) comes after \(before)"
      }
      if after == before { return "\(after) was reported twice" }
    }
    return nil
  }
}
