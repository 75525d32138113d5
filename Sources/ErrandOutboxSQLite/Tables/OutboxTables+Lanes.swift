import ErrandOutbox

/// The order of rows in their lanes. A row is in its lane (`head` is not null) while it is stored, being
/// attempted, or a dead letter that blocks the lane. One of these rows is the head, and only a head may be
/// claimed.
extension OutboxTables {
  /// The values of the column `head`.
  enum Head {
    static let behind: Int64 = 0
    static let first: Int64 = 1
    static let firstOfPaused: Int64 = 2
  }

  private static let first = Query(
    "SELECT seq, head FROM requests WHERE lane = ? AND queued = 1 ORDER BY seq LIMIT 1")
  private static let head = Query(
    "SELECT seq, state FROM requests WHERE lane = ? AND head > 0 AND lane IS NOT NULL")
  private static let setHead = Query("UPDATE requests SET head = ? WHERE seq = ?")
  private static let isPaused = Query("SELECT 1 FROM paused WHERE lane = ?")

  /// Returns the value of `head` for the head of a lane.
  private func mark(_ lane: String) throws -> Int64 {
    try database.exists(Self.isPaused, [.text(lane)]) ? Head.firstOfPaused : Head.first
  }

  /// Returns the value of `head` for a row that is added to the end of its lane.
  func headOfLast(in lane: String?) throws -> Int64 {
    guard let lane else { return Head.first }
    return try database.exists(Self.head, [.text(lane)]) ? Head.behind : mark(lane)
  }

  /// Makes the first row of a lane its head, after a row has left the lane or returned to it. A head that is
  /// being attempted stays the head, even if an earlier row has returned.
  func settle(_ lane: String?) throws {
    guard let lane,
      let first = try database.first(Self.first, [.text(lane)], { ($0.integer(0), $0.integer(1)) }),
      first.1 == Head.behind
    else { return }
    if let head = try database.first(Self.head, [.text(lane)], { ($0.integer(0), $0.integer(1)) }) {
      if head.1 == OutboxState.attempting.rawValue { return }
      try database.run(Self.setHead, [.integer(Head.behind), .integer(head.0)])
    }
    try database.run(Self.setHead, [.integer(try mark(lane)), .integer(first.0)])
  }

  // MARK: Pausing

  private static let pause = Query("INSERT OR IGNORE INTO paused VALUES (?)")
  private static let resume = Query("DELETE FROM paused WHERE lane = ?")
  private static let markHead = Query(
    "UPDATE requests SET head = ? WHERE lane = ? AND head > 0 AND lane IS NOT NULL")
  private static let pausedLanes = Query("SELECT lane FROM paused ORDER BY lane")

  func setPaused(_ isPaused: Bool, lane: String?) throws {
    hasNews = true
    guard let lane else {
      return isPaused ? try set(.paused, to: .integer(1 as Int64)) : try remove(.paused)
    }
    try database.run(isPaused ? Self.pause : Self.resume, [.text(lane)])
    try database.run(Self.markHead, [.integer(try mark(lane)), .text(lane)])
  }

  func isEverythingPaused() throws -> Bool { try integer(.paused) != nil }

  func lanesPaused() throws -> [String] { try database.all(Self.pausedLanes) { $0.text(0) ?? "" } }
}
