/// How much more fits in, by the caps.
struct Room {
  let caps: OutboxCaps
  private(set) var count: Int
  private(set) var bytes: Int64

  /// - Parameter used: What there is already; need not be known if nothing is capped.
  init(_ caps: OutboxCaps, used: (count: Int, bytes: Int64)?) {
    self.caps = caps
    count = used?.count ?? 0
    bytes = used?.bytes ?? 0
  }

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
    count += 1
    bytes += row.size
  }

  mutating func give(_ row: OutboxRow) {
    count -= 1
    bytes -= row.size
  }
}

extension OutboxCaps {
  var isLimited: Bool { count != nil || bytes != nil }
}
