/// How much more fits in, by the caps.
struct Room {
  let caps: OutboxCaps
  private var used: Usage

  /// - Parameter used: What there is already; need not be known if nothing is capped.
  init(_ caps: OutboxCaps, used: Usage?) {
    self.caps = caps
    self.used = used ?? Usage()
  }

  var count: Int { used.count }
  var bytes: Int64 { used.bytes }
  /// What is over takes room from it.
  var isOverInTheWay: Bool { caps.bytes != nil && used.overBytes > 0 }

  func fits(_ row: NewRow) -> Bool {
    if let limit = caps.count, count >= limit { return false }
    return !lacksBytes(for: row)
  }

  func lacksBytes(for row: NewRow) -> Bool {
    caps.bytes.map { used.bytes + used.overBytes > $0 - row.size } ?? false
  }

  /// True if no request has to go for it but those that take the room.
  func couldFit(_ row: NewRow) -> Bool {
    caps.count.map { $0 > 0 } ?? true && caps.bytes.map { row.size <= $0 } ?? true
  }

  mutating func take(_ row: NewRow) {
    used.count += 1
    used.bytes += row.size
  }

  /// - Parameter bytes: What was counted of a row that is dropped now, and over.
  mutating func give(_ bytes: Int64) {
    used.count -= 1
    used.bytes -= bytes
    used.overBytes += RowBytes.ofRow
  }

  /// - Parameter bytes: What was counted of a row that is over, and forgotten now.
  mutating func giveOver(_ bytes: Int64) { used.overBytes -= bytes }
}

extension OutboxCaps {
  var isLimited: Bool { count != nil || bytes != nil }
}
