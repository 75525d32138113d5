import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// The behaviour of a store in its simplest form: an array that is searched from the beginning each time.
struct OutboxModel {
  struct Entry {
    var new: NewRow
    var row: OutboxRow
    /// Its place in the order of enqueue.
    var place = 0
    /// In ticks.
    var due: Int64?
    var delay: Int64 = 0
    var isOffline = false
    /// In ticks.
    var expires: Int64?
    var lifetime: Int64 = 0
    var owner = 0
    var leaseEnd: Int64 = 0
    var lease: Lease?
    /// All leases with which the row was ever claimed.
    var leases: Set<Lease> = []
    var hasContent = true
    /// True once the lease's holder has begun to send.
    var isBegun = false
    var upload: Data?

    var isInLane: Bool {
      row.lane != nil && (row.state.isOpen || row.state == .deadLettered && new.holdsLane)
    }
    var counts: Bool { row.state.isOpen || row.state == .deadLettered }
    var bytes: Int64 { RowBytes.count(row.state, size: row.size, response: row.response?.count ?? 0) }
  }

  var entries: [Entry] = []
  var lastPlace = 0
  var boot: String?
  var isPaused = false
  var pausedLanes: Set<String> = []
  var gone: Set<Int> = []
  var holds: [String: Hold] = [:]

  struct Hold {
    var kind: OriginHold.Kind
    /// In ticks.
    var until: Int64
    var wall: Int64
    var delay: Int64
  }

  mutating func hold(_ origin: String, _ kind: OriginHold.Kind, for length: Duration, at now: StoreTime) {
    adopt(now)
    let delay = Int64(length / .milliseconds(1))
    // A shorter hold does not end a longer one.
    if let longer = holds[origin], longer.until > now.ticks + delay { return }
    holds[origin] = Hold(kind: kind, until: now.ticks + delay, wall: now.wall + delay, delay: delay)
  }

  /// The rows in the order of enqueue.
  var rows: [OutboxRow] { entries.map(\.row) }

  func index(_ id: OutboxID) -> Int? { entries.firstIndex { $0.row.id == id } }

  /// Returns true if the row is the first of its lane, or has no lane.
  func isHead(_ index: Int) -> Bool {
    guard let lane = entries[index].row.lane else { return true }
    if pausedLanes.contains(lane) { return false }
    let members = entries.indices.filter { entries[$0].isInLane && entries[$0].row.lane == lane }
    if let attempting = members.first(where: { entries[$0].row.state == .attempting }) {
      return attempting == index
    }
    return members.first == index
  }

  func isReady(_ index: Int) -> Bool {
    entries[index].row.state == .stored && entries[index].due == nil && isHead(index)
  }

  mutating func adopt(_ now: StoreTime) {
    defer { boot = now.boot }
    guard let boot, boot != now.boot else { return }
    holds = holds.mapValues { hold in
      let left = max(0, min(hold.wall - now.wall, hold.delay))
      return Hold(kind: hold.kind, until: now.ticks + left, wall: now.wall + left, delay: left)
    }
    for index in entries.indices {
      if entries[index].row.state == .attempting { entries[index].leaseEnd = 0 }
      if entries[index].row.state == .stored, let wall = entries[index].row.due {
        let left = max(0, min(wall - now.wall, entries[index].delay))
        entries[index].delay = left
        entries[index].due = now.ticks + left
        entries[index].row.due = now.wall + left
        if left == 0 { clearDue(index) }
      }
      if entries[index].row.state.isOpen, let wall = entries[index].row.expires {
        let left = max(0, min(wall - now.wall, entries[index].lifetime))
        entries[index].lifetime = left
        entries[index].expires = now.ticks + left
        entries[index].row.expires = now.wall + left
      }
    }
  }

  /// - Returns: The files of the content.
  mutating func removeContent(_ index: Int) -> [String] {
    guard entries[index].hasContent else { return [] }
    entries[index].hasContent = false
    return entries[index].new.files
  }

  mutating func clearDue(_ index: Int) {
    entries[index].due = nil
    entries[index].row.due = nil
    entries[index].isOffline = false
  }

  var statistics: OutboxStatistics {
    var statistics = OutboxStatistics()
    for entry in entries {
      statistics.counts[entry.row.state, default: 0] += 1
      if entry.counts { statistics.bytes += entry.bytes }
      statistics.bytesInAll += entry.bytes
    }
    statistics.oldest = rows.first { $0.state.isOpen }?.created
    statistics.isPaused = isPaused
    statistics.pausedLanes = pausedLanes.sorted()
    let ready = entries.indices.filter(isReady)
    let nobodyMayGo = isPaused || !ready.contains { holds[entries[$0].row.origin] == nil }
    if !isPaused, nobodyMayGo {
      let waiting = entries.indices.filter { entries[$0].due != nil && isHead($0) }
      let due = waiting.min { (entries[$0].due ?? 0) < (entries[$1].due ?? 0) }
        .flatMap { entries[$0].row.due }
      let held = ready.compactMap { holds[entries[$0].row.origin]?.wall }.min()
      statistics.nextDue = [due, held].compactMap { $0 }.min()
    }
    statistics.heldOrigins = holds.sorted { $0.key < $1.key }.map {
      OriginHold(origin: $0.key, label: Data(), kind: $0.value.kind, reason: "", until: $0.value.wall)
    }
    statistics.isHeld =
      nobodyMayGo && statistics.nextDue == nil && rows.contains { $0.state == .stored }
      && !rows.contains { $0.state == .attempting }
    return statistics
  }
}
