import ErrandOutbox
import ErrandOutboxSQLite

extension OutboxModel {
  func selected(_ selection: OutboxSelection) -> [Int] {
    entries.indices.filter { index in
      let row = entries[index].row
      if let states = selection.states, !states.contains(row.state) { return false }
      if let ids = selection.ids, !ids.contains(row.id) { return false }
      switch selection.lane {
      case .named(let lane): return row.lane == lane
      case .none?: return row.lane == nil
      case nil: return true
      }
    }
  }

  mutating func rescheduleOffline(at now: StoreTime) -> Int {
    adopt(now)
    let offline = entries.indices.filter { entries[$0].isOffline && entries[$0].row.state == .stored }
    for index in offline { clearDue(index) }
    holds = holds.filter { $0.value.kind == .busy }
    return offline.count
  }

  mutating func retry(_ selection: OutboxSelection, force: Bool, at now: StoreTime) -> [OutboxRow] {
    adopt(now)
    let meant = selected(selection.retried(force: force))
    for index in meant {
      if entries[index].row.state == .attempting { recover(index, ClaimBounds(0), at: now) }
      clearDue(index)
      if entries[index].row.state == .stored { continue }
      entries[index].row.state = .stored
      entries[index].row.changed = now.wall
      entries[index].row.attempts = 0
      entries[index].row.countedAttempts = 0
      entries[index].row.expires = nil
      entries[index].expires = nil
      entries[index].row.response = nil
    }
    for index in meant { holds[entries[index].row.origin] = nil }
    return meant.map { entries[$0].row }
  }

  mutating func drop(_ selection: OutboxSelection, at now: StoreTime) -> Dropped {
    adopt(now)
    let meant = selected(selection).filter {
      [.stored, .deadLettered, .expired].contains(entries[$0].row.state)
    }
    var dropped = Dropped()
    for index in meant { dropped.files += drop(index, at: now) }
    dropped.rows = meant.map { entries[$0].row }
    return dropped
  }

  mutating func prune(_ changed: Int64) -> [String] {
    let over = entries.indices.filter {
      [.delivered, .expired, .dropped].contains(entries[$0].row.state) && entries[$0].row.changed <= changed
    }
    let files = over.flatMap { removeContent($0) }
    for index in over.reversed() { entries.remove(at: index) }
    return files
  }

  func used(_ files: [String]) -> Set<String> {
    Set(entries.filter(\.hasContent).flatMap(\.new.files)).intersection(files)
  }
}
