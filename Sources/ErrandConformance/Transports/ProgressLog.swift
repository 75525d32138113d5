import ErrandCore

/// A log of the calls of a progress handler, which checks the rules of progress.
final class ProgressLog: Sendable {
  private let entries = Locked<[TransferProgress]>([])

  init() {}

  func append(_ progress: TransferProgress) { entries.withLock { $0.append(progress) } }

  var all: [TransferProgress] { entries.withLock { $0 } }

  /// A description of a broken rule, or nil. Within an attempt no number may decrease or exceed its total,
  /// and attempts must follow each other.
  var problem: String? {
    let all = all
    for progress in all {
      if let total = progress.sentTotal, progress.sent > total { return "\(progress) is past its total" }
      if let total = progress.receivedTotal, progress.received > total {
        return "\(progress) is past its total"
      }
    }
    for (before, after) in zip(all, all.dropFirst()) {
      if after.attempt < before.attempt { return "\(after) comes after \(before)" }
      guard after.attempt == before.attempt else { continue }
      if after.sent < before.sent || after.received < before.received {
        return "\(after) comes after \(before)"
      }
      if after == before { return "\(after) was told twice" }
    }
    return nil
  }
}
