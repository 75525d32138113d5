import ErrandOutbox

extension OutboxModel {
  /// Nil if there is no room, and then nothing has changed.
  mutating func add(_ rows: [NewRow], within caps: OutboxCaps, at now: StoreTime) -> Dropped? {
    var changed = self
    guard let dropped = changed.addAll(rows, caps, now) else { return nil }
    self = changed
    return dropped
  }

  private mutating func addAll(_ rows: [NewRow], _ caps: OutboxCaps, _ now: StoreTime) -> Dropped? {
    adopt(now)
    var dropped = Dropped()
    let before = Set(entries.map(\.row.id))
    for new in rows where index(new.id) == nil {
      while !fits(new, caps) {
        guard caps.whenFull != .refuse, let victim = victim(caps.whenFull, for: new, among: before) else {
          return nil
        }
        dropped.files += drop(victim, at: now)
        dropped.rows.append(entries[victim].row)
      }
      append(new, now)
    }
    return dropped
  }

  private func fits(_ new: NewRow, _ caps: OutboxCaps) -> Bool {
    let counted = entries.filter(\.counts)
    if let count = caps.count, counted.count + 1 > count { return false }
    if let bytes = caps.bytes, counted.reduce(new.size, { $0 + $1.row.size }) > bytes { return false }
    return true
  }

  private func victim(_ rule: OutboxCaps.Rule, for new: NewRow, among before: Set<OutboxID>) -> Int? {
    let droppable = entries.indices.filter {
      [.stored, .setAside].contains(entries[$0].row.state) && before.contains(entries[$0].row.id)
    }
    if rule == .dropOldest { return droppable.first }
    // The first of the least important: `min` keeps the first of equals.
    return droppable.filter { entries[$0].row.priority <= new.priority }
      .min { entries[$0].row.priority < entries[$1].row.priority }
  }

  private mutating func append(_ new: NewRow, _ now: StoreTime) {
    let lifetime = new.lifetime.map { Int64($0 / .milliseconds(1)) }
    let row = OutboxRow(
      id: new.id, sequence: 0, lane: new.lane, priority: new.priority, state: .stored, created: now.wall,
      changed: now.wall, tries: 0, countedTries: 0, due: nil, expires: lifetime.map { now.wall + $0 },
      reason: nil, size: new.size, summary: new.summary, answer: nil, origin: new.origin)
    var entry = Entry(new: new, row: row)
    entry.expires = lifetime.map { now.ticks + $0 }
    entry.lifetime = lifetime ?? 0
    entries.append(entry)
  }

  /// - Returns: Its files.
  mutating func drop(_ index: Int, at now: StoreTime) -> [String] {
    clearDue(index)
    entries[index].row.state = .dropped
    entries[index].row.changed = now.wall
    entries[index].row.answer = nil
    return removeContent(index)
  }
}
