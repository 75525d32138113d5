import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

extension OutboxModel {
  struct Claimed {
    var rows: [OutboxRow] = []
    var expired: Set<OutboxID> = []
    var recovered: Set<OutboxID> = []
    var deadLettered: Set<OutboxID> = []
    var next: Duration?
  }

  mutating func claim(_ bounds: ClaimBounds, for lease: Duration, by owner: Int, at now: StoreTime) -> Claimed
  {
    adopt(now)
    var claimed = Claimed()
    for index in entries.indices where entries[index].row.state == .attempting {
      guard gone.contains(entries[index].owner) || entries[index].leaseEnd <= now.ticks else { continue }
      recover(index, bounds, at: now)
      claimed.recovered.insert(entries[index].row.id)
    }
    for index in entries.indices where entries[index].row.state == .stored {
      guard let expires = entries[index].expires, expires <= now.ticks else { continue }
      clearDue(index)
      entries[index].row.state = .expired
      entries[index].row.changed = now.wall
      claimed.expired.insert(entries[index].row.id)
    }
    for index in entries.indices where entries[index].row.state == .stored && isHead(index) {
      if let due = entries[index].due, due <= now.ticks { clearDue(index) }
    }
    holds = holds.filter { $0.value.until > now.ticks }
    var isMore = false
    if !isPaused {
      var room = ClaimCapacity(bounds, held: Set(holds.keys))
      let ready = entries.indices.filter(isReady).sorted {
        (-entries[$0].row.priority, $0) < (-entries[$1].row.priority, $1)
      }
      for index in ready {
        let response = room.take(entries[index].row.origin)
        if response == .isMore { isMore = true }
        guard response == .taken else { continue }
        entries[index].row.changed = now.wall
        if let most = bounds.maxAttempts, entries[index].row.countedAttempts >= most {
          entries[index].row.state = .deadLettered
          claimed.deadLettered.insert(entries[index].row.id)
          isMore = true
          continue
        }
        entries[index].row.state = .attempting
        entries[index].row.attempts += 1
        entries[index].row.countedAttempts += 1
        entries[index].owner = owner
        entries[index].isBegun = false
        entries[index].leaseEnd = now.ticks + Int64(lease / .milliseconds(1))
        claimed.rows.append(entries[index].row)
      }
    }
    claimed.next = isMore ? .zero : next(now)
    return claimed
  }

  mutating func recover(_ index: Int, _ bounds: ClaimBounds, at now: StoreTime) {
    guard entries[index].isBegun else {
      giveBack(index)
      entries[index].row.changed = now.wall
      return
    }
    entries[index].row.state = .stored
    entries[index].row.changed = now.wall
    var wait = bounds.backoff
    for _ in 1..<max(1, entries[index].row.countedAttempts) { wait = min(wait * 2, bounds.maxBackoff) }
    let delay = Int64(min(wait, bounds.maxBackoff) / .milliseconds(1))
    entries[index].delay = delay
    entries[index].due = delay > 0 ? now.ticks + delay : nil
    entries[index].row.due = delay > 0 ? now.wall + delay : nil
  }

  private func next(_ now: StoreTime) -> Duration? {
    var times: [Int64] = []
    for index in entries.indices {
      if entries[index].row.state == .attempting { times.append(entries[index].leaseEnd) }
      guard entries[index].row.state == .stored else { continue }
      if let expires = entries[index].expires { times.append(expires) }
      if !isPaused, isHead(index), let due = entries[index].due { times.append(due) }
    }
    if !isPaused { times += holds.values.map(\.until) }
    return times.min().map { .milliseconds(max(0, $0 - now.ticks)) }
  }

  func holds(_ lease: Lease) -> Int? {
    guard let index = index(lease.id), entries[index].row.state == .attempting, entries[index].lease == lease
    else { return nil }
    return index
  }

  mutating func begin(_ leases: [Lease], by owner: Int, at now: StoreTime) -> [Lease] {
    leases.filter { lease in
      guard let index = holds(lease), entries[index].owner == owner, entries[index].leaseEnd > now.ticks,
        boot == now.boot
      else { return false }
      entries[index].isBegun = true
      return true
    }
  }

  mutating func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) -> Bool {
    guard let index = holds(lease) else { return false }
    entries[index].upload = upload
    if madeProgress { entries[index].row.countedAttempts = 1 }
    return true
  }

  mutating func renew(_ lease: Lease, for duration: Duration, at now: StoreTime) -> Bool {
    adopt(now)
    guard let index = holds(lease) else { return false }
    entries[index].leaseEnd = now.ticks + Int64(duration / .milliseconds(1))
    return true
  }

  mutating func finish(_ lease: Lease, _ outcome: FinishedAttempt.Outcome, at now: StoreTime) -> Finished {
    adopt(now)
    guard let index = index(lease.id) else { return Finished(row: nil) }
    let isHeld = holds(lease) != nil
    var files: [String] = []
    switch outcome {
    case .delivered(let response):
      // The ID of a forgotten row may have been used again.
      guard entries[index].counts, entries[index].leases.contains(lease) else { return Finished(row: nil) }
      clearDue(index)
      entries[index].row.state = .delivered
      entries[index].row.response = response
      files = removeContent(index)
    case .failed(_, let next, let counts, let wasOffline):
      guard isHeld else { return Finished(row: nil) }
      let delay = Int64(next / .milliseconds(1))
      entries[index].row.state = .stored
      entries[index].delay = delay
      entries[index].due = delay > 0 ? now.ticks + delay : nil
      entries[index].row.due = delay > 0 ? now.wall + delay : nil
      entries[index].isOffline = wasOffline && delay > 0
      if !counts { entries[index].row.countedAttempts -= 1 }
    case .rejected(_, let response):
      guard isHeld else { return Finished(row: nil) }
      entries[index].row.state = .deadLettered
      entries[index].row.response = response
    case .returned:
      guard isHeld else { return Finished(row: nil) }
      giveBack(index)
    }
    entries[index].row.changed = now.wall
    return Finished(row: entries[index].row, files: files)
  }

  mutating func giveBackAll(of owner: Int) {
    for index in entries.indices
    where entries[index].row.state == .attempting && entries[index].owner == owner {
      giveBack(index)
    }
  }

  private mutating func giveBack(_ index: Int) {
    entries[index].row.state = .stored
    entries[index].row.attempts -= 1
    entries[index].row.countedAttempts -= 1
  }
}
