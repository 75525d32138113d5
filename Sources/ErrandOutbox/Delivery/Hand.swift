/// What a courier has in its hands: requests that it claimed, until their ends are recorded.
struct Hand: Sendable {
  /// Those that wait to be sent, in the order in which they were claimed.
  private var waiting: [ClaimedRow] = []
  private var first = 0
  /// Those that are being sent, and the task that does it, once there is one.
  private var tasks: [Lease: Task<Void, Never>?] = [:]
  /// How those ended that are to be recorded next.
  private var ended: [FinishedTry] = []
  /// What is being recorded.
  private var recording: [FinishedTry] = []
  /// When its leases must be renewed at the latest, in the store's ticks.
  private var renewalLimit = Int64.max

  var isEmpty: Bool { first == waiting.count && tasks.isEmpty && ended.isEmpty && recording.isEmpty }

  /// All that must not be taken by another.
  var leases: [Lease] {
    waiting[first...].map(\.lease) + sent + ended.map(\.lease) + recording.map(\.lease)
  }

  mutating func take(_ rows: [ClaimedRow], renewingBy limit: Int64) {
    renewalLimit = isEmpty ? limit : min(renewalLimit, limit)
    waiting += rows
  }

  mutating func renewed(nextBy limit: Int64) { renewalLimit = limit }

  /// True if its leases may be over.
  func isLate(at now: Int64) -> Bool { now >= renewalLimit && !isEmpty }

  /// Those of these that wait are let go of.
  /// - Returns: How many.
  mutating func drop(_ lost: [Lease]) -> Int {
    guard !lost.isEmpty else { return 0 }
    let lost = Set(lost)
    let kept = waiting[first...].filter { !lost.contains($0.lease) }
    defer { (waiting, first) = (kept, 0) }
    return waiting.count - first - kept.count
  }

  /// The next that waits; it is being sent from now on.
  mutating func next() -> ClaimedRow? {
    guard first < waiting.count else { return nil }
    let row = waiting[first]
    first += 1
    if first == waiting.count {
      waiting = []
      first = 0
    } else if first > 1000 {
      waiting.removeSubrange(..<first)
      first = 0
    }
    tasks.updateValue(nil, forKey: row.lease)
    return row
  }

  /// Over already, it may not come back.
  mutating func sends(_ lease: Lease, in task: Task<Void, Never>) {
    if tasks.keys.contains(lease) { tasks.updateValue(task, forKey: lease) }
  }

  /// A try is over.
  mutating func end(_ finished: FinishedTry) {
    tasks[finished.lease] = nil
    ended.append(finished)
  }

  /// Those that waited are given back.
  mutating func returnWaiting() {
    for row in waiting[first...] { ended.append(FinishedTry(lease: row.lease, outcome: .returned)) }
    waiting = []
    first = 0
  }

  /// What is to be recorded now; nil if something is being recorded, or nothing is there to be.
  mutating func beginRecording() -> [FinishedTry]? {
    guard recording.isEmpty, !ended.isEmpty else { return nil }
    swap(&recording, &ended)
    return recording
  }

  mutating func endRecording() { recording = [] }

  func tasks(of leases: [Lease]) -> [Task<Void, Never>] { leases.compactMap { tasks[$0] ?? nil } }

  var allTasks: [Task<Void, Never>] { tasks(of: sent) }

  /// In one order, so that what can be repeated is the same again.
  private var sent: [Lease] { tasks.keys.sorted { $0.number < $1.number } }
}
