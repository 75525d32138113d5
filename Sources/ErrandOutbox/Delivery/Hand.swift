/// What a courier has in its hands: requests that it claimed, until their ends are recorded.
struct Hand: Sendable {
  /// Those of one origin that wait to be sent, in the order in which they were claimed.
  private struct Line: Sendable {
    var rows: [(place: Int, row: ClaimedRow)] = []
    var first = 0

    var head: (place: Int, row: ClaimedRow)? { first < rows.count ? rows[first] : nil }
    var rest: ArraySlice<(place: Int, row: ClaimedRow)> { rows[first...] }

    mutating func removeHead() -> ClaimedRow {
      defer {
        first += 1
        // What was sent is not kept for long: it has contents.
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
  /// Those that are being sent, and the task that does it, once there is one.
  private var tasks: [Lease: Task<Void, Never>?] = [:]
  /// How those ended that are to be recorded next.
  private var ended: [FinishedTry] = []
  /// What is being recorded.
  private var recording: [FinishedTry] = []
  /// When each lease ends, in the store's ticks, until it is recorded how that went.
  private var ends: [Lease: Int64] = [:]
  /// The origins of all of them.
  private var origins: [Lease: String] = [:]
  /// Rows of which the store does not know the origin.
  private var learned: Set<Lease> = []
  /// Rows in lanes: when their ends are recorded, others may be free, of any origin.
  private var laned: Set<Lease> = []
  /// Rows of which an earlier attempt is in hand still: their leases had ended, and nobody else has taken them.
  private var earlier: [Lease: Lease] = [:]
  /// Those that another may have by now.
  private var lost: Set<Lease> = []
  /// When its leases must be renewed at the latest, in the store's ticks.
  private var renewalLimit = Int64.max

  var isEmpty: Bool { lines.isEmpty && tasks.isEmpty && ended.isEmpty && recording.isEmpty }

  /// All that must not be taken by another.
  var leases: [Lease] {
    waiting.map(\.lease) + sent + ended.map(\.lease) + recording.map(\.lease)
  }

  /// In the order in which they were claimed.
  private var waiting: [ClaimedRow] {
    lines.values.flatMap(\.rest).sorted { $0.place < $1.place }.map(\.row)
  }

  /// - Parameters:
  ///   - end: When their leases end.
  ///   - learned: Those of which the store does not know the origin.
  mutating func take(
    _ rows: [ClaimedRow], until end: Int64, renewingBy limit: Int64, learned: Set<Lease> = []
  ) {
    renewalLimit = isEmpty ? limit : min(renewalLimit, limit)
    for row in rows {
      lastPlace += 1
      lines[row.row.origin, default: Line()].rows.append((lastPlace, row))
      if row.row.tries > 1,
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

  /// True if its leases may be over.
  func isLate(at now: Int64) -> Bool { now >= renewalLimit && !isEmpty }

  /// True if nobody else can have this by now.
  func holds(_ lease: Lease, at now: Int64) -> Bool { !lost.contains(lease) && ends[lease] ?? .min > now }

  func isLost(_ lease: Lease) -> Bool { lost.contains(lease) }

  /// These are another's. Those of them that wait are let go of.
  /// - Returns: How many waited, by their origin.
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

  /// - Returns: The origin of what waited to be sent, and does not any more; nil if it did not wait.
  private mutating func takeOut(_ lease: Lease) -> String? {
    guard let origin = origins[lease], let line = lines[origin] else { return nil }
    let kept = line.rest.filter { $0.row.lease != lease }
    guard kept.count < line.rest.count else { return nil }
    lines[origin] = kept.isEmpty ? nil : Line(rows: kept)
    return origin
  }

  /// The next that waits and may go: the most important, and of these the one that was claimed first. It is being sent from
  /// now on.
  mutating func next(for state: CourierState) -> ClaimedRow? {
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

  /// Over already, it may not come back.
  mutating func sends(_ lease: Lease, in task: Task<Void, Never>) {
    if tasks.keys.contains(lease) { tasks.updateValue(task, forKey: lease) }
  }

  /// An attempt is over.
  mutating func end(_ finished: FinishedTry) {
    tasks[finished.lease] = nil
    lost.remove(finished.lease)
    append(finished)
  }

  private mutating func append(_ finished: FinishedTry) {
    var finished = finished
    if learned.contains(finished.lease) { finished.origin = origins[finished.lease] }
    ended.append(finished)
  }

  /// Those that wait for these origins are given back.
  /// - Returns: How many, by their origin.
  mutating func returnWaiting(for state: CourierState) -> [String: Int] {
    var returned: [String: Int] = [:]
    // In one order, so that what can be repeated is the same again.
    for (origin, line) in lines.sorted(by: { $0.key < $1.key }) where state.givesBack(origin) {
      for entry in line.rest { append(FinishedTry(lease: entry.row.lease, outcome: .returned)) }
      returned[origin] = line.rest.count
      lines[origin] = nil
    }
    return returned
  }

  /// What is to be recorded now; nil if something is being recorded, or nothing is there to be.
  mutating func beginRecording() -> [FinishedTry]? {
    guard recording.isEmpty, !ended.isEmpty else { return nil }
    swap(&recording, &ended)
    return recording
  }

  struct Recorded: Sendable, Hashable {
    /// The origins of what was recorded.
    var origins: Set<String>
    /// Some of it was in lanes.
    var hadLanes: Bool
    /// The origins of what need not be sent any more: it is to be recorded as given back.
    var returned: [String] = []
  }

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

  /// Gives back what was claimed again, and has turned out to be delivered by the earlier attempt.
  private mutating func returnDelivered() -> [String] {
    var delivered: Set<Lease> = []
    for finished in recording { if case .delivered = finished.outcome { delivered.insert(finished.lease) } }
    let again = earlier.filter { delivered.contains($0.value) }.map(\.key).sorted { $0.number < $1.number }
    return again.compactMap { lease in
      guard let origin = takeOut(lease) else { return nil }
      append(FinishedTry(lease: lease, outcome: .returned))
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

  /// In one order, so that what can be repeated is the same again.
  private var sent: [Lease] { tasks.keys.sorted { $0.number < $1.number } }
}
