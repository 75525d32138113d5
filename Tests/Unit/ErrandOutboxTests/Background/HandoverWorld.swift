import ErrandTesting

@testable import ErrandOutbox

/// A phone with one app: an outbox's rows, a background session, a server, and a process with a
/// `HandoverState` that is suspended, killed and woken. Everything happens in single steps, in an order that
/// a seed determines.
struct HandoverWorld {
  enum Owner: Hashable { case process, session }

  struct Row {
    let lane: Int?
    var lease: Lease
    var owner: Owner?
    var isDelivered = false
  }

  struct Task {
    let lease: Lease
    var progress = SessionTask.Progress.suspended
  }

  /// An operation that the process has started. Its reply arrives in a later step, and perhaps never.
  enum Job {
    case listRows
    case listTasks([Lease])
    case opened([Lease], [SessionTask])
    case claim(Int)
    case claimed([Lease], Bool)
    case prepare(Lease)
    case prepared(Lease, Int)
    case mark(Lease)
    case marked(Lease, Bool)
    case record(Lease, HandedEnd)
    case recorded(Lease, Bool)
    case settle
    case settled([SessionTask])
    case check
    case checked([SessionTask])
  }

  var random: SeededRandom
  /// False once no more faults happen.
  var isTroubled = true
  var faults: [String] = []

  // The store.
  var rows: [Row]
  var isStoreOpen = false
  // The session.
  var tasks: [Int: Task] = [:]
  var lastTask = 0
  var told: [(lease: Lease, end: HandedEnd)] = []
  /// Tasks that have ended with a response from the server, and whether that accepted the request.
  var answers: [Lease: Bool] = [:]
  // The process.
  var state: HandoverState?
  var jobs: [Job] = []
  var isSuspended = false
  var systemWaits = false
  var isHurried = false
  /// The attempts that the process makes itself in the foreground, and whether each has started.
  var own: [Lease: Bool] = [:]
  // Counters.
  var accepted: [Int: Int] = [:]
  /// The number of attempts of each row whose end was destroyed, so that it cannot become known.
  var destroyed: [Int: Int] = [:]
  var records: [Lease: [String]] = [:]
  var order: [Int: [Int]] = [:]
  var handedOver = 0
  var wakes = 0

  init(seed: UInt64, rows count: Int) {
    random = SeededRandom(seed: seed)
    rows = []
    for index in 0..<count {
      let lane = Int.random(in: 0...4, using: &random)
      let lease = Lease(id: OutboxID(rawValue: "\(index)"), number: Int64(index) << 24)
      rows.append(Row(lane: lane == 0 ? nil : lane, lease: lease))
    }
  }

  var isOver: Bool { rows.allSatisfy(\.isDelivered) }

  /// The number of times that rows were claimed.
  var attempts: Int { rows.reduce(0) { $0 + Int($1.lease.number & 0xFF_FFFF) } }

  mutating func chance(_ percent: Int) -> Bool {
    isTroubled && Int.random(in: 0..<100, using: &random) < percent
  }

  func index(_ lease: Lease) -> Int { Int(lease.number >> 24) }

  // MARK: The store

  private func isHead(_ index: Int) -> Bool {
    guard let lane = rows[index].lane else { return true }
    return rows.firstIndex { $0.lane == lane && !$0.isDelivered } == index
  }

  mutating func take(_ limit: Int) -> [Lease] {
    // A store ends the leases of owners that no longer exist.
    for index in rows.indices where rows[index].owner == .process && !isKnown(rows[index].lease) {
      giveBack(index, "recovered")
    }
    var taken: [Lease] = []
    for index in rows.indices where taken.count < limit {
      guard !rows[index].isDelivered, rows[index].owner == nil, isHead(index) else { continue }
      rows[index].lease.number += 1
      rows[index].owner = .process
      taken.append(rows[index].lease)
    }
    return taken
  }

  private func isKnown(_ lease: Lease) -> Bool {
    if own[lease] != nil { return true }
    switch state?.requests[lease] {
    case .preparing, .marking: return true
    case .recording(.cancelled(hasBegun: false), _): return true
    default: break
    }
    return jobs.contains { if case .claimed(let leases, _) = $0 { leases.contains(lease) } else { false } }
  }

  private mutating func giveBack(_ index: Int, _ how: String) {
    rows[index].owner = nil
    note(rows[index].lease, how)
  }

  private mutating func note(_ lease: Lease, _ what: String) {
    records[lease, default: []].append(what)
    let count = records[lease]?.count { $0 != "delivered late" } ?? 0
    if count > 1 { faults.append("\(lease.label) was recorded as \(records[lease] ?? [])") }
  }

  mutating func finish(_ lease: Lease, _ end: HandedEnd, isAccepted: Bool) {
    let index = index(lease)
    let isCurrent = rows[index].lease == lease && rows[index].owner != nil
    if end == .finished, isAccepted {
      guard !rows[index].isDelivered else { return }
      note(lease, isCurrent ? "delivered" : "delivered late")
      // A later attempt is in progress, so this one's end no longer matters.
      if !isCurrent, rows[index].owner != nil { note(rows[index].lease, "superseded") }
      rows[index].isDelivered = true
      rows[index].owner = nil
    } else if isCurrent {
      // The server may have accepted it, and its end may still be reported.
      if end == .lost, answers[lease] == true { destroy(lease) }
      giveBack(index, "\(end)")
    }
  }

  mutating func closeStore() {
    isStoreOpen = false
    for index in rows.indices where rows[index].owner == .process { giveBack(index, "given back") }
    own = [:]
  }

  // MARK: The server

  /// True if another attempt for the same lane, or for the same row, is being sent.
  func isCrowded(_ lease: Lease) -> Bool {
    let begun = tasks.values.filter { $0.progress == .begun }.map(\.lease) + own.filter(\.value).map(\.key)
    let row = index(lease)
    return begun.contains { other in
      other != lease && !rows[index(other)].isDelivered
        && (index(other) == row || (rows[row].lane != nil && rows[index(other)].lane == rows[row].lane))
    }
  }

  mutating func begin(_ lease: Lease) {
    if isCrowded(lease) { faults.append("\(lease.label) is sent while another attempt of its lane is") }
  }

  /// Makes the server receive the request.
  mutating func answer(_ lease: Lease) -> Bool {
    let isAccepted = !chance(20)
    guard isAccepted else { return false }
    let row = index(lease)
    accepted[row, default: 0] += 1
    if accepted[row, default: 0] > 1 + destroyed[row, default: 0] {
      faults.append("row \(row) was accepted \(accepted[row, default: 0]) times")
    }
    if accepted[row] == 1, let lane = rows[row].lane {
      if let last = order[lane]?.last, last > row { faults.append("lane \(lane) is out of order") }
      order[lane, default: []].append(row)
    }
    return true
  }

  mutating func destroy(_ lease: Lease) { destroyed[index(lease), default: 0] += 1 }
}
