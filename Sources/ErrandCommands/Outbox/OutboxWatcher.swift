import ErrandOutbox

/// Reads an outbox repeatedly, and finds what has changed.
struct OutboxWatcher {
  /// The greatest number of requests that are followed in each state.
  private static let limit = 1000

  let outbox: Outbox
  private(set) var state: OutboxWatchState

  init(_ outbox: Outbox) async throws {
    self.outbox = outbox
    state = OutboxWatchState([], last: try await Self.newest(outbox))
    state = OutboxWatchState(try await Self.open(outbox), last: state.last)
  }

  /// Reads the outbox.
  /// - Returns: The requests that have changed since the last reading.
  mutating func look() async throws -> [OutboxRecord] {
    var entries = try await Self.open(outbox)
    let seen = Set(entries.map(\.id))
    entries += try await outbox.list(after: state.last, limit: Self.limit).map { OutboxRecord($0) }
      .filter { !seen.contains($0.id) }
    let found = Set(entries.map(\.id))
    var forgotten: [String] = []
    for id in state.open.keys where !found.contains(id) {
      if let entry = try await outbox.status(of: OutboxID(rawValue: id)) {
        entries.append(OutboxRecord(entry))
      } else {
        forgotten.append(id)
      }
    }
    return state.look(at: entries, forgotten: forgotten)
  }

  private static func open(_ outbox: Outbox) async throws -> [OutboxRecord] {
    var records: [OutboxRecord] = []
    for state in [OutboxState.attempting, .stored, .deadLettered] {
      records += try await outbox.list(OutboxSelection(states: [state]), limit: limit).map {
        OutboxRecord($0)
      }
    }
    return records
  }

  /// Returns the place of the newest request, or 0, by binary search, because there may be millions.
  private static func newest(_ outbox: Outbox) async throws -> Int64 {
    var (low, high): (Int64, Int64) = (0, 1)
    while let next = try await outbox.list(after: high, limit: 1).first {
      (low, high) = (next.sequence, max(high, next.sequence) * 2)
    }
    // Nothing is beyond `high`; a request is at `low`, unless that is 0.
    while low < high {
      let middle = low + (high - low) / 2
      if let next = try await outbox.list(after: middle, limit: 1).first {
        low = next.sequence
      } else {
        high = middle
      }
    }
    return high
  }
}
