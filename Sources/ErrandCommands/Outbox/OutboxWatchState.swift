import ErrandOutbox

/// Finds the changes between successive readings of an outbox. Pure.
struct OutboxWatchState: Sendable {
  /// The requests that are not over, by ID.
  private(set) var open: [String: OutboxRecord] = [:]
  /// The requests that ended while they were watched, the newest last.
  private(set) var ended: [OutboxRecord] = []
  /// The place in the order up to which requests are known.
  private(set) var last: Int64

  private static let mostEnded = 200

  /// - Parameters:
  ///   - open: The requests that are not over at the beginning.
  ///   - last: The place of the newest request.
  init(_ open: [OutboxRecord], last: Int64) {
    for record in open { self.open[record.id] = record }
    self.last = last
  }

  /// Compares a reading with the last one.
  /// - Parameters:
  ///   - records: The requests that are new or were open, as they are now.
  ///   - forgotten: The IDs of open requests that no longer exist.
  /// - Returns: The requests that have changed, in the order of their change.
  mutating func look(at records: [OutboxRecord], forgotten: [String] = []) -> [OutboxRecord] {
    for id in forgotten { open[id] = nil }
    var changed: [OutboxRecord] = []
    for record in records {
      last = max(last, record.sequence)
      guard open[record.id] != record else { continue }
      changed.append(record)
      if record.state.isOver {
        open[record.id] = nil
        ended.append(record)
      } else {
        open[record.id] = record
      }
    }
    if ended.count > Self.mostEnded { ended.removeFirst(ended.count - Self.mostEnded) }
    return changed.sorted { ($0.changed, $0.sequence) < ($1.changed, $1.sequence) }
  }

  /// Returns at most `count` requests to show: in an attempt, stored, dead letters, and in the lines left,
  /// those that ended last.
  func shown(_ count: Int) -> [OutboxRecord] {
    let order: [OutboxState] = [.attempting, .stored, .deadLettered]
    let alive = order.flatMap { state in
      open.values.filter { $0.state == state }.sorted { $0.sequence < $1.sequence }
    }
    // A few lines are always for the latest ends, which a user waits for.
    let kept = min(ended.count, max(count - alive.count, min(3, count / 2)))
    return Array(alive.prefix(max(0, count - kept)) + ended.suffix(kept).reversed())
  }
}

extension OutboxState {
  /// True if nothing changes the request any more, unless a user retries it.
  fileprivate var isOver: Bool { self == .delivered || self == .expired || self == .dropped }
}
