import ErrandOutbox

/// Finds out what has happened from looking again and again. Pure.
struct OutboxWatchState: Sendable {
  /// What is not over, by its name.
  private(set) var open: [String: OutboxRecord] = [:]
  /// What ended while it was watched, the newest last.
  private(set) var ended: [OutboxRecord] = []
  /// The place in the order beyond which nothing is known yet.
  private(set) var last: Int64

  private static let mostEnded = 200

  /// - Parameters:
  ///   - open: What is there already and is not over.
  ///   - last: The place of the newest there is.
  init(_ open: [OutboxRecord], last: Int64) {
    for record in open { self.open[record.id] = record }
    self.last = last
  }

  /// - Parameter records: What has come since, and what was open, as they are now; nil in the place of what is forgotten.
  /// - Returns: Those that have changed, in the order of their change.
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

  /// What is shown on so many lines: what is being tried, what waits, what is set aside, and in what room is left, what has
  /// ended last.
  func shown(_ count: Int) -> [OutboxRecord] {
    let order: [OutboxState] = [.trying, .stored, .setAside]
    let alive = order.flatMap { state in
      open.values.filter { $0.state == state }.sorted { $0.sequence < $1.sequence }
    }
    // The latest end is what a person wants to see happen.
    let kept = min(ended.count, max(count - alive.count, min(3, count / 2)))
    return Array(alive.prefix(max(0, count - kept)) + ended.suffix(kept).reversed())
  }
}

extension OutboxState {
  /// True if nothing happens to it any more, unless somebody asks for it.
  fileprivate var isOver: Bool { self == .delivered || self == .expired || self == .dropped }
}
