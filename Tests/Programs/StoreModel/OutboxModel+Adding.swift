import ErrandOutbox
import ErrandOutboxSQLite

extension OutboxModel {
  /// The reason why nothing was added.
  enum Refusal: Error {
    case full, known
  }

  mutating func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) throws(Refusal) -> Dropped {
    var changed = self
    let dropped = try changed.addAll(rows, caps, now)
    self = changed
    return dropped
  }

  private mutating func addAll(
    _ rows: [NewRow], _ caps: OutboxCaps, _ now: StoreTime
  ) throws(Refusal) -> Dropped {
    adopt(now)
    var dropped = Dropped()
    let firstNew = lastPlace + 1
    for new in rows {
      var freed: Int?
      if let old = index(new.id) {
        if new.ifKnown == .ignore { continue }
        let state = entries[old].row.state
        guard new.ifKnown == .replace, state == .stored || state == .deadLettered else { throw .known }
        let mayMakeRoom = (caps.count != nil || caps.bytes != nil) && caps.whenFull != .refuse
        let keepsPlace = entries[old].row.lane == new.lane && entries[old].leases.isEmpty
        if keepsPlace, rows.count == 1 || !mayMakeRoom { freed = entries[old].place }
        dropped.files += removeContent(old)
        entries.remove(at: old)
      }
      if !couldFit(new, caps) { throw .full }
      dropped.files += forgetOver(for: new, caps)
      while !fits(new, caps) {
        guard caps.whenFull != .refuse, let victim = victim(caps.whenFull, for: new, before: firstNew) else {
          throw .full
        }
        dropped.files += drop(victim, at: now)
        dropped.rows.append(entries[victim].row)
        dropped.files += forgetOver(for: new, caps)
      }
      var entry = entry(new, now)
      if freed == nil { lastPlace += 1 }
      entry.place = freed ?? lastPlace
      entries.insert(entry, at: entries.firstIndex { $0.place > entry.place } ?? entries.endIndex)
    }
    return dropped
  }

  private func fits(_ new: NewRow, _ caps: OutboxCaps) -> Bool {
    if let count = caps.count, entries.filter(\.counts).count + 1 > count { return false }
    return !lacksBytes(new, caps)
  }

  private func lacksBytes(_ new: NewRow, _ caps: OutboxCaps) -> Bool {
    caps.bytes.map { entries.reduce(new.size) { $0 + $1.bytes } > $0 } ?? false
  }

  private func couldFit(_ new: NewRow, _ caps: OutboxCaps) -> Bool {
    if fits(new, caps) { return true }
    return caps.count ?? 1 > 0 && caps.bytes.map { new.size <= $0 } ?? true
  }

  /// Forgets requests that have ended, until the new one has space.
  /// - Returns: The files of the forgotten requests.
  private mutating func forgetOver(for new: NewRow, _ caps: OutboxCaps) -> [String] {
    var files: [String] = []
    let endings: [OutboxState] = [.delivered, .expired, .dropped]
    while lacksBytes(new, caps) {
      let over = entries.indices.filter { !entries[$0].counts }
      let oldest = endings.compactMap { state in
        over.filter { entries[$0].row.state == state }.min {
          entries[$0].row.changed < entries[$1].row.changed
        }
      }
      .min { entries[$0].row.changed < entries[$1].row.changed }
      guard let oldest else { break }
      files += removeContent(oldest)
      entries.remove(at: oldest)
    }
    return files
  }

  private func victim(_ rule: OutboxCaps.Rule, for new: NewRow, before firstNew: Int) -> Int? {
    let droppable = entries.indices.filter {
      [.stored, .deadLettered].contains(entries[$0].row.state) && entries[$0].place < firstNew
    }
    if rule == .dropOldest { return droppable.first }
    // The first of the least important: `min` returns the first of equals.
    return droppable.filter { entries[$0].row.priority <= new.priority }
      .min { entries[$0].row.priority < entries[$1].row.priority }
  }

  private func entry(_ new: NewRow, _ now: StoreTime) -> Entry {
    let (lifetime, end): (Int64?, Int64?) =
      switch new.expiry {
      case nil: (nil, nil)
      case .after(let lifetime)?:
        (Int64(lifetime / .milliseconds(1)), now.wall + Int64(lifetime / .milliseconds(1)))
      case .at(let end)?: (max(0, end - now.wall), end)
      }
    let row = OutboxRow(
      id: new.id, sequence: 0, lane: new.lane, priority: new.priority, state: .stored, created: now.wall,
      changed: now.wall, attempts: 0, countedAttempts: 0, due: nil, expires: end,
      reason: nil, size: new.size, summary: new.summary, response: nil, origin: new.origin)
    var entry = Entry(new: new, row: row)
    entry.expires = lifetime.map { now.ticks + $0 }
    entry.lifetime = lifetime ?? 0
    if let begin = new.notBefore, begin > now.wall {
      entry.delay = begin - now.wall
      entry.due = now.ticks + entry.delay
      entry.row.due = now.wall + entry.delay
    }
    return entry
  }

  /// - Returns: The files of the dropped row.
  mutating func drop(_ index: Int, at now: StoreTime) -> [String] {
    clearDue(index)
    entries[index].row.state = .dropped
    entries[index].row.changed = now.wall
    entries[index].row.response = nil
    return removeContent(index)
  }
}
