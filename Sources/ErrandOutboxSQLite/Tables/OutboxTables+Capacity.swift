import ErrandOutbox

extension OutboxTables {
  private static let oldestOfAll = Query(
    "SELECT seq FROM requests WHERE +state IN (0, 3) AND seq < ? ORDER BY seq LIMIT 1")
  private static let leastImportantOfAll = Query(
    """
    SELECT seq FROM requests INDEXED BY by_turn WHERE turn IS NOT NULL AND priority <= ?2 AND seq < ?1
    ORDER BY priority, seq LIMIT 1
    """)

  private struct Victim {
    let sequence: Int64
  }

  /// Drops other rows, by the rule of the caps, until a row fits.
  /// - Parameter sequence: The first sequence of the rows that are added together with this one. These rows
  ///   are not dropped for it.
  /// - Throws: `OutboxError.full` if the row does not fit and no row may be dropped.
  func makeRoom(
    for row: NewRow, in capacity: inout Capacity, before sequence: Int64, at now: StoreTime,
    _ dropped: inout Dropped
  ) throws {
    guard capacity.couldFit(row) else { throw full(capacity) }
    try forgetOver(for: row, in: &capacity, &dropped)
    if capacity.fits(row) { return }
    guard capacity.caps.whenFull != .refuse else { throw full(capacity) }
    while !capacity.fits(row) {
      guard let victim = try victim(of: capacity.caps.whenFull, for: row, before: sequence) else {
        throw full(capacity)
      }
      let before = try self.row(at: .integer(victim.sequence))
      let gone = try drop(before, reason: "it was dropped to make room for newer requests", at: now)
      capacity.give(RowBytes.count(before.state, size: before.size, response: before.response?.count ?? 0))
      dropped.rows.append(gone.row)
      dropped.files += gone.files
      try forgetOver(for: row, in: &capacity, &dropped)
    }
  }

  /// Deletes finished rows, the oldest first, while a row does not fit because of their bytes.
  private func forgetOver(for row: NewRow, in capacity: inout Capacity, _ dropped: inout Dropped) throws {
    while capacity.lacksBytes(for: row), capacity.isOverInTheWay, let oldest = try oldestOver() {
      dropped.files += try forget(oldest)
      capacity.giveOver(oldest.bytes)
    }
  }

  private func victim(
    of rule: OutboxCaps.Rule, for row: NewRow, before sequence: Int64
  ) throws -> Victim? {
    let most = rule == .dropOldest ? Int64.max : Int64(row.priority)
    var best: (rank: (Int64, Int64), victim: Victim)?
    guard let groups = try groups(of: [.stored, .deadLettered]) else {
      return try victimAmongMany(rule, most, sequence)
    }
    for group in groups where group.priority <= most {
      guard let oldest = try oldest(of: group), oldest < sequence else { continue }
      let rank = (rule == .dropOldest ? 0 : group.priority, oldest)
      if best.map({ rank < $0.rank }) ?? true { best = (rank, Victim(sequence: oldest)) }
    }
    return best?.victim
  }

  private func victimAmongMany(_ rule: OutboxCaps.Rule, _ most: Int64, _ sequence: Int64) throws -> Victim? {
    rule == .dropOldest
      ? try database.first(Self.oldestOfAll, [.integer(sequence)], victim)
      : try database.first(Self.leastImportantOfAll, [.integer(sequence), .integer(most)], victim)
  }

  private func victim(_ statement: Statement) -> Victim {
    Victim(sequence: statement.integer(0))
  }

  private func full(_ capacity: Capacity) -> OutboxError {
    let limits = [
      capacity.caps.count.map { "\($0) requests" }, capacity.caps.bytes.map { "\($0) bytes" },
    ]
    return OutboxError(
      .full,
      "the outbox is full: it holds \(capacity.count) requests of \(capacity.bytes) bytes, and its cap is "
        + limits.compactMap { $0 }.joined(separator: " and ")
        + "; wait until some are delivered, drop dead letters, or raise its caps")
  }
}

/// The number of rows and bytes that still fit into the outbox, by its caps.
struct Capacity {
  let caps: OutboxCaps
  private var used: Usage

  /// Creates the capacity of a store.
  /// - Parameter used: The numbers of the store's rows and bytes; nil is enough if the caps have no limit.
  init(_ caps: OutboxCaps, used: Usage?) {
    self.caps = caps
    self.used = used ?? Usage()
  }

  var count: Int { used.count }
  var bytes: Int64 { used.bytes }
  /// True if the bytes of finished rows count against the byte cap.
  var isOverInTheWay: Bool { caps.bytes != nil && used.overBytes > 0 }

  func fits(_ row: NewRow) -> Bool {
    if let limit = caps.count, count >= limit { return false }
    return !lacksBytes(for: row)
  }

  func lacksBytes(for row: NewRow) -> Bool {
    caps.bytes.map { used.bytes + used.overBytes > $0 - row.size } ?? false
  }

  /// True if the row would fit into an empty outbox.
  func couldFit(_ row: NewRow) -> Bool {
    caps.count.map { $0 > 0 } ?? true && caps.bytes.map { row.size <= $0 } ?? true
  }

  mutating func take(_ row: NewRow) {
    used.count += 1
    used.bytes += row.size
  }

  /// Counts a row that was dropped to make room: it no longer counts as a request, but still takes some
  /// bytes.
  /// - Parameter bytes: The bytes that were counted for the row before.
  mutating func give(_ bytes: Int64) {
    used.count -= 1
    used.bytes -= bytes
    used.overBytes += RowBytes.ofRow
  }

  /// Counts an open row or a dead letter that was deleted.
  /// - Parameter bytes: The bytes that were counted for the row.
  mutating func remove(_ bytes: Int64) {
    used.count -= 1
    used.bytes -= bytes
  }

  /// Counts a finished row that was deleted.
  /// - Parameter bytes: The bytes that were counted for the row.
  mutating func giveOver(_ bytes: Int64) { used.overBytes -= bytes }
}

extension OutboxCaps {
  var isLimited: Bool { count != nil || bytes != nil }
}
