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

  func fits(_ row: NewRow) -> Bool {
    if let limit = caps.count, count >= limit { return false }
    if let limit = caps.bytes, bytes > limit - row.size { return false }
    return true
  }

  /// True if no request has to go for it but those that take the room.
  func couldFit(_ row: NewRow) -> Bool {
    caps.count.map { $0 > 0 } ?? true && caps.bytes.map { row.size <= $0 } ?? true
  }

  mutating func take(_ row: NewRow) {
    used.count += 1
    used.bytes += row.size
  }

  mutating func give(_ row: OutboxRow) {
    used.count -= 1
    used.bytes -= row.size
  }
}

extension OutboxCaps {
  var isLimited: Bool { count != nil || bytes != nil }
}
