import ErrandOutbox

/// How many more rows and bytes fit into the outbox, by its caps.
struct Capacity {
  let caps: OutboxCaps
  private var used: Usage

  /// - Parameter used: What the store holds already; nil is enough if nothing is capped.
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

  /// True if the row would fit into an outbox without any other row.
  func couldFit(_ row: NewRow) -> Bool {
    caps.count.map { $0 > 0 } ?? true && caps.bytes.map { row.size <= $0 } ?? true
  }

  mutating func take(_ row: NewRow) {
    used.count += 1
    used.bytes += row.size
  }

  /// Counts a row that was dropped to make room: it no longer counts as a request, but still takes some
  /// bytes.
  /// - Parameter bytes: The bytes that were counted for the row until now.
  mutating func give(_ bytes: Int64) {
    used.count -= 1
    used.bytes -= bytes
    used.overBytes += RowBytes.ofRow
  }

  /// Counts a finished row that was deleted.
  /// - Parameter bytes: The bytes that were counted for the row.
  mutating func giveOver(_ bytes: Int64) { used.overBytes -= bytes }
}

extension OutboxCaps {
  var isLimited: Bool { count != nil || bytes != nil }
}
