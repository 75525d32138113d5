/// The requests that a dispatcher has claimed, until their ends are recorded.
struct InFlightRows: Sendable {
  /// The rows of one origin that wait to be sent, in the order in which they were claimed.
  private struct Line: Sendable {
    var rows: [(place: Int, row: ClaimedRow)] = []
    var first = 0

    var head: (place: Int, row: ClaimedRow)? { first < rows.count ? rows[first] : nil }
    var rest: ArraySlice<(place: Int, row: ClaimedRow)> { rows[first...] }

    mutating func removeHead() -> ClaimedRow {
      defer {
        first += 1
        // Sent rows are removed soon, because they hold request contents.
        if first > 16, first * 2 > rows.count {
          rows.removeSubrange(..<first)
          first = 0
        }
      }
      return rows[first].row
    }
  }

  private var lines: [String: Line] = [:]
  private var lastPlace = 0
  /// The rows that are being sent, each with its task once there is one.
  private var tasks: [Lease: Task<Void, Never>?] = [:]
  /// The ends of attempts to record next.
  private var ended: [FinishedAttempt] = []
  /// The ends of attempts that are being recorded.
  private var recording: [FinishedAttempt] = []
  /// When each lease ends, in the store's ticks. An entry stays until the end of its attempt is recorded.
  private var ends: [Lease: Int64] = [:]
  /// The origin of each row.
  private var origins: [Lease: String] = [:]
  /// Rows whose origins the store does not know.
  private var learned: Set<Lease> = []
  /// Rows in lanes: when their ends are recorded, the next rows of their lanes may be of any origin.
  private var laned: Set<Lease> = []
  /// Rows of which an earlier attempt is still in flight, by the lease of the new one: the earlier lease
  /// ended, and this dispatcher claimed the row again.
  private var earlier: [Lease: Lease] = [:]
  /// Rows that another owner may have by now.
  private var lost: Set<Lease> = []
  /// When the leases must be renewed at the latest, in the store's ticks.
  private var renewalLimit = Int64.max

  var isEmpty: Bool { lines.isEmpty && tasks.isEmpty && ended.isEmpty && recording.isEmpty }

  /// The leases to renew, so that no other owner takes their rows.
  var leases: [Lease] {
    waiting.map(\.lease) + sent + ended.map(\.lease) + recording.map(\.lease)
  }

  /// The rows that wait to be sent, in the order in which they were claimed.
  private var waiting: [ClaimedRow] {
    lines.values.flatMap(\.rest).sorted { $0.place < $1.place }.map(\.row)
  }

  /// Adds claimed rows.
  /// - Parameters:
  ///   - end: When their leases end.
  ///   - limit: When their leases must be renewed at the latest.
  ///   - learned: Those whose origins the store does not know.
  mutating func take(
    _ rows: [ClaimedRow], until end: Int64, renewingBy limit: Int64, learned: Set<Lease> = []
  ) {
    renewalLimit = isEmpty ? limit : min(renewalLimit, limit)
    for row in rows {
      lastPlace += 1
      lines[row.row.origin, default: Line()].rows.append((lastPlace, row))
      if row.row.attempts > 1,
        let before = ends.keys.filter({ $0.id == row.lease.id }).min(by: { $0.number < $1.number })
      {
        earlier[row.lease] = before
      }
      ends[row.lease] = end
      origins[row.lease] = row.row.origin
      if row.row.lane != nil { laned.insert(row.lease) }
    }
    self.learned.formUnion(learned)
  }

  mutating func renewed(_ leases: [Lease], until end: Int64, nextBy limit: Int64) {
    for lease in leases where ends[lease] != nil { ends[lease] = end }
    renewalLimit = limit
  }

  /// True if the time to renew the leases has passed: they end soon, or have ended.
  func isLate(at now: Int64) -> Bool { now >= renewalLimit && !isEmpty }

  /// True if no other owner can have the row yet.
  func holds(_ lease: Lease, at now: Int64) -> Bool { !lost.contains(lease) && ends[lease] ?? .min > now }

  func isLost(_ lease: Lease) -> Bool { lost.contains(lease) }

  /// Notes that another owner has these rows, and drops those that wait to be sent.
  /// - Returns: The number of dropped rows of each origin.
  mutating func drop(_ leases: [Lease]) -> [String: Int] {
    guard !leases.isEmpty else { return [:] }
    lost.formUnion(leases.filter { tasks.keys.contains($0) })
    var dropped: [String: Int] = [:]
    for lease in leases {
      guard let origin = takeOut(lease) else { continue }
      dropped[origin, default: 0] += 1
      forget(lease)
    }
    return dropped
  }

  /// Removes a row from those that wait to be sent.
  /// - Returns: Its origin; nil if it did not wait.
  private mutating func takeOut(_ lease: Lease) -> String? {
    guard let origin = origins[lease], let line = lines[origin] else { return nil }
    let kept = line.rest.filter { $0.row.lease != lease }
    guard kept.count < line.rest.count else { return nil }
    lines[origin] = kept.isEmpty ? nil : Line(rows: kept)
    return origin
  }

  /// Returns the next row that may be sent: the one with the highest priority, and of these the one that was
  /// claimed first. It counts as being sent from now on.
  mutating func next(for state: DispatchState) -> ClaimedRow? {
    var best: (origin: String, priority: Int, place: Int)?
    for (origin, line) in lines {
      guard let head = line.head, !waitsForEarlier(head.row.lease) else { continue }
      let (priority, place) = (head.row.row.priority, head.place)
      let isFirst = best.map { ($0.priority, place) < (priority, $0.place) } ?? true
      if isFirst, state.mayBegin(origin) { best = (origin, priority, place) }
    }
    guard let origin = best?.origin, let row = lines[origin]?.removeHead() else { return nil }
    if lines[origin]?.head == nil { lines[origin] = nil }
    tasks.updateValue(nil, forKey: row.lease)
    return row
  }

  private func waitsForEarlier(_ lease: Lease) -> Bool { earlier[lease].map { ends[$0] != nil } ?? false }

  /// Sets the task that sends a row, unless the attempt is over already.
  mutating func sends(_ lease: Lease, in task: Task<Void, Never>) {
    if tasks.keys.contains(lease) { tasks.updateValue(task, forKey: lease) }
  }

  /// Notes the end of an attempt.
  mutating func end(_ finished: FinishedAttempt) {
    tasks[finished.lease] = nil
    lost.remove(finished.lease)
    append(finished)
  }

  private mutating func append(_ finished: FinishedAttempt) {
    var finished = finished
    if learned.contains(finished.lease) { finished.origin = origins[finished.lease] }
    ended.append(finished)
  }

  /// Gives back the rows that wait for origins to which nothing will be sent soon.
  /// - Returns: The number of rows of each origin.
  mutating func returnWaiting(for state: DispatchState) -> [String: Int] {
    var returned: [String: Int] = [:]
    // In a fixed order, so that simulations are repeatable.
    for (origin, line) in lines.sorted(by: { $0.key < $1.key }) where state.givesBack(origin) {
      for entry in line.rest { append(FinishedAttempt(lease: entry.row.lease, outcome: .returned)) }
      returned[origin] = line.rest.count
      lines[origin] = nil
    }
    return returned
  }

  /// Returns the ends of attempts to record now; nil if there are none, or others are being recorded.
  mutating func beginRecording() -> [FinishedAttempt]? {
    guard recording.isEmpty, !ended.isEmpty else { return nil }
    swap(&recording, &ended)
    return recording
  }

  struct Recorded: Sendable, Hashable {
    /// The origins of the recorded rows.
    var origins: Set<String>
    /// True if some of the rows were in lanes.
    var hadLanes: Bool
    /// The origins of rows that need not be sent any more and are to be recorded as given back.
    var returned: [String] = []
  }

  /// Ends the recording that is under way.
  /// - Parameter isDone: False if the store could not record it.
  mutating func endRecording(isDone: Bool = true) -> Recorded {
    var recorded = Recorded(
      origins: Set(recording.compactMap { origins[$0.lease] }),
      hadLanes: recording.contains { laned.contains($0.lease) })
    if isDone, !earlier.isEmpty { recorded.returned = returnDelivered() }
    for finished in recording { forget(finished.lease) }
    recording = []
    return recorded
  }

  /// Gives back rows that were claimed again, and that the earlier attempt has delivered.
  private mutating func returnDelivered() -> [String] {
    var delivered: Set<Lease> = []
    for finished in recording { if case .delivered = finished.outcome { delivered.insert(finished.lease) } }
    let again = earlier.filter { delivered.contains($0.value) }.map(\.key).sorted { $0.number < $1.number }
    return again.compactMap { lease in
      guard let origin = takeOut(lease) else { return nil }
      append(FinishedAttempt(lease: lease, outcome: .returned))
      return origin
    }
  }

  private mutating func forget(_ lease: Lease) {
    ends[lease] = nil
    origins[lease] = nil
    learned.remove(lease)
    laned.remove(lease)
    earlier[lease] = nil
  }

  func tasks(of leases: [Lease]) -> [Task<Void, Never>] { leases.compactMap { tasks[$0] ?? nil } }

  var allTasks: [Task<Void, Never>] { tasks(of: sent) }

  /// The rows that are being sent, in a fixed order, so that simulations are repeatable.
  private var sent: [Lease] { tasks.keys.sorted { $0.number < $1.number } }
}
