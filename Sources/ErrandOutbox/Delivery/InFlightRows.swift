/// The requests that a dispatcher has claimed, until their ends are recorded. Each waits to be sent, is being
/// sent, or is being recorded. Pure.
struct InFlightRows: Sendable {
  /// A claimed row without its content. The content is in the row's line until the row is sent.
  private struct Row: Sendable {
    let origin: String
    /// True if the origin was found in the request, because the store does not know it.
    let isLearned: Bool
    /// True if the row is in a lane. When its end is recorded, the next row of the lane may be of any origin.
    let isInLane: Bool
    /// When its lease ends, in ticks.
    var leaseEnd: Int64
    /// True if another owner may have the row.
    var isLost = false
  }

  /// The rows of one origin that wait to be sent, in the order in which they were claimed.
  private struct Line: Sendable {
    var rows: [(place: Int, row: ClaimedRow)] = []
    var first = 0

    var head: (place: Int, row: ClaimedRow)? { first < rows.count ? rows[first] : nil }
    var rest: ArraySlice<(place: Int, row: ClaimedRow)> { rows[first...] }

    mutating func removeHead() -> ClaimedRow {
      defer {
        first += 1
        // Sent rows are removed soon, because they hold the contents of requests.
        if first > 16, first * 2 > rows.count {
          rows.removeSubrange(..<first)
          first = 0
        }
      }
      return rows[first].row
    }
  }

  private var rows: [Lease: Row] = [:]
  private var lines: [String: Line] = [:]
  private var lastPlace = 0
  /// The rows that are being sent, each with its task as soon as the task exists.
  private var tasks: [Lease: Task<Void, Never>?] = [:]
  /// The ends of attempts to record next.
  private var ended: [FinishedAttempt] = []
  /// The ends of attempts that are being recorded.
  private var inRecording: [FinishedAttempt] = []
  /// Rows that this dispatcher claimed again while an earlier attempt was still in flight, because the
  /// earlier lease had ended. The key is the new lease, and the value is the earlier one.
  private var earlier: [Lease: Lease] = [:]
  /// When the leases must be renewed at the latest, in ticks.
  private var renewalLimit = Int64.max

  var isEmpty: Bool { rows.isEmpty }

  /// The number of rows that wait to be sent.
  var waiting: Int { rows.count - sending - recording }
  /// The number of rows that are being sent.
  var sending: Int { tasks.count }
  /// The number of rows whose ends are being recorded, or will be recorded next.
  var recording: Int { ended.count + inRecording.count }

  // MARK: Leases

  /// The leases to renew, so that no other owner takes their rows.
  var leases: [Lease] {
    let waiting = lines.values.flatMap(\.rest).sorted { $0.place < $1.place }.map(\.row.lease)
    return waiting + sent + ended.map(\.lease) + inRecording.map(\.lease)
  }

  /// Adds claimed rows.
  /// - Parameters:
  ///   - end: When their leases end.
  ///   - limit: When their leases must be renewed at the latest.
  ///   - learned: The rows whose origins the store does not know.
  mutating func take(
    _ claimed: [ClaimedRow], until end: Int64, renewingBy limit: Int64, learned: Set<Lease> = []
  ) {
    renewalLimit = isEmpty ? limit : min(renewalLimit, limit)
    for row in claimed {
      lastPlace += 1
      lines[row.row.origin, default: Line()].rows.append((lastPlace, row))
      if row.row.attempts > 1,
        let before = rows.keys.filter({ $0.id == row.lease.id }).min(by: { $0.number < $1.number })
      {
        earlier[row.lease] = before
      }
      rows[row.lease] = Row(
        origin: row.row.origin, isLearned: learned.contains(row.lease), isInLane: row.row.lane != nil,
        leaseEnd: end)
    }
  }

  mutating func renewed(_ leases: [Lease], until end: Int64, nextBy limit: Int64) {
    for lease in leases { rows[lease]?.leaseEnd = end }
    renewalLimit = limit
  }

  /// True if the leases should have been renewed before now: they end soon, or have ended.
  func isLate(at now: Int64) -> Bool { now >= renewalLimit && !isEmpty }

  /// True if no other owner can have the row.
  func holds(_ lease: Lease, at now: Int64) -> Bool {
    rows[lease].map { !$0.isLost && $0.leaseEnd > now } ?? false
  }

  func contains(_ lease: Lease) -> Bool { rows.keys.contains(lease) }

  func isLost(_ lease: Lease) -> Bool { rows[lease]?.isLost ?? false }

  /// Notes that other owners may have these rows, and drops the rows that wait to be sent.
  /// - Returns: The number of dropped rows of each origin.
  mutating func drop(_ leases: [Lease]) -> [String: Int] {
    var dropped: [String: Int] = [:]
    for lease in leases {
      if tasks.keys.contains(lease) { rows[lease]?.isLost = true }
      guard let origin = takeOut(lease) else { continue }
      dropped[origin, default: 0] += 1
      forget(lease)
    }
    return dropped
  }

  /// Removes a row from the rows that wait to be sent.
  /// - Returns: Its origin; nil if it did not wait.
  private mutating func takeOut(_ lease: Lease) -> String? {
    guard let origin = rows[lease]?.origin, let line = lines[origin] else { return nil }
    let others = line.rest.filter { $0.row.lease != lease }
    guard others.count < line.rest.count else { return nil }
    lines[origin] = others.isEmpty ? nil : Line(rows: others)
    return origin
  }

  private mutating func forget(_ lease: Lease) {
    rows[lease] = nil
    earlier[lease] = nil
  }

  // MARK: Sending

  /// Returns the origin of the next row to send, among the origins that allow it. The next row is the one
  /// with the highest priority, and of these the one that was claimed first.
  func nextOrigin(where mayBegin: (String) -> Bool) -> String? {
    var best: (origin: String, priority: Int, place: Int)?
    for (origin, line) in lines {
      guard let head = line.head, !waitsForEarlier(head.row.lease) else { continue }
      let (priority, place) = (head.row.row.priority, head.place)
      let isFirst = best.map { ($0.priority, place) < (priority, $0.place) } ?? true
      if isFirst, mayBegin(origin) { best = (origin, priority, place) }
    }
    return best?.origin
  }

  /// Moves the first row that waits for this origin to the rows that are being sent.
  mutating func begin(_ origin: String) -> ClaimedRow? {
    guard let row = lines[origin]?.removeHead() else { return nil }
    if lines[origin]?.head == nil { lines[origin] = nil }
    tasks.updateValue(nil, forKey: row.lease)
    return row
  }

  private func waitsForEarlier(_ lease: Lease) -> Bool { earlier[lease].map { rows[$0] != nil } ?? false }

  /// Sets the task that sends a row, unless the attempt has ended already.
  mutating func sends(_ lease: Lease, in task: Task<Void, Never>) {
    if tasks.keys.contains(lease) { tasks.updateValue(task, forKey: lease) }
  }

  func tasks(of leases: [Lease]) -> [Task<Void, Never>] { leases.compactMap { tasks[$0] ?? nil } }

  var allTasks: [Task<Void, Never>] { tasks(of: sent) }

  /// The rows that are being sent, in a fixed order, so that simulations are repeatable.
  private var sent: [Lease] { tasks.keys.sorted { $0.number < $1.number } }

  // MARK: Recording

  /// Notes the end of an attempt.
  mutating func end(_ finished: FinishedAttempt) {
    tasks[finished.lease] = nil
    append(finished)
  }

  private mutating func append(_ finished: FinishedAttempt) {
    var finished = finished
    if let row = rows[finished.lease], row.isLearned { finished.origin = row.origin }
    ended.append(finished)
  }

  /// The origins of waiting rows, in a fixed order, so that simulations are repeatable.
  func waitingOrigins(where isMeant: (String) -> Bool) -> [String] { lines.keys.filter(isMeant).sorted() }

  /// Gives back the rows that wait for this origin.
  /// - Returns: The number of these rows.
  mutating func giveBack(_ origin: String) -> Int {
    guard let line = lines.removeValue(forKey: origin) else { return 0 }
    for entry in line.rest { append(FinishedAttempt(lease: entry.row.lease, outcome: .returned)) }
    return line.rest.count
  }

  /// Returns the ends of attempts to record now; nil without new ends, or while others are being recorded.
  mutating func beginRecording() -> [FinishedAttempt]? {
    guard inRecording.isEmpty, !ended.isEmpty else { return nil }
    swap(&inRecording, &ended)
    return inRecording
  }

  struct Recorded: Sendable, Hashable {
    /// The origins of the recorded rows.
    var origins: Set<String>
    /// True if some of the rows were in lanes.
    var hadLanes: Bool
    /// The origins whose holds were recorded.
    var held: [String] = []
    /// The origins of rows that need not be sent any more, and are recorded as given back.
    var returned: [String] = []
  }

  /// Ends the recording that is in progress.
  /// - Parameter isDone: False if the store could not record the ends.
  mutating func endRecording(isDone: Bool = true) -> Recorded {
    var recorded = Recorded(
      origins: Set(inRecording.compactMap { rows[$0.lease]?.origin }),
      hadLanes: inRecording.contains { rows[$0.lease]?.isInLane ?? false })
    if isDone {
      recorded.held = inRecording.compactMap(\.news).filter { $0.change != .release }.map(\.origin)
    }
    if isDone, !earlier.isEmpty { recorded.returned = returnDelivered() }
    for finished in inRecording { forget(finished.lease) }
    inRecording = []
    return recorded
  }

  /// Gives back rows that were claimed again, if the earlier attempt has delivered them.
  private mutating func returnDelivered() -> [String] {
    var delivered: Set<Lease> = []
    for finished in inRecording { if case .delivered = finished.outcome { delivered.insert(finished.lease) } }
    let again = earlier.filter { delivered.contains($0.value) }.map(\.key).sorted { $0.number < $1.number }
    return again.compactMap { lease in
      guard let origin = takeOut(lease) else { return nil }
      append(FinishedAttempt(lease: lease, outcome: .returned))
      return origin
    }
  }
}
