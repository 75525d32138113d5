import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

/// Records the requests that users enqueued, the changes by the store, and the events that were received.
final class OutboxLedger: Sendable {
  private struct State {
    var asks: [AskRecord] = []
    var steps: [RowStep] = []
    /// The last step of each row.
    var last: [OutboxID: RowStep.Kind] = [:]
    /// The process that has the lease of a row.
    var holders: [OutboxID: String] = [:]
    /// The lease of a row as its holder knows it: its end, and the boot in which it was given.
    var leases: [String: (ticks: Int64, boot: String)] = [:]
    var unleased: [String] = []
    var isPaused = false
    var pausedLanes: Set<String> = []
    var follows: [Follow] = []
    var passes: [GrantedPass] = []
    var log: [LogLine] = []
  }

  private let clock: VirtualClock
  private let machine: SimulatedMachine
  private let isTraced: Bool
  private let state = Locked(State())

  init(_ clock: VirtualClock, _ machine: SimulatedMachine, isTraced: Bool) {
    self.clock = clock
    self.machine = machine
    self.isTraced = isTraced
  }

  var asks: [AskRecord] { state.withLock { $0.asks } }
  var steps: [RowStep] { state.withLock { $0.steps } }
  /// The number of steps so far.
  var mark: Int { state.withLock { $0.steps.count } }
  /// The requests that were sent without a lease, or with one that had ended.
  var unleased: [String] { state.withLock { $0.unleased } }
  var follows: [Follow] { state.withLock { $0.follows } }
  var passes: [GrantedPass] { state.withLock { $0.passes } }
  var log: [LogLine] { state.withLock { $0.log } }

  // MARK: Requests

  /// Records several requests that are to be stored together.
  func begin(_ count: Int, _ make: (_ id: Int, _ burst: Int) -> OutboxAsk) -> [OutboxAsk] {
    let asks = state.withLock { state in
      let first = state.asks.count
      let asks = (first..<first + count).map { make($0, first) }
      state.asks += asks.map { AskRecord(ask: $0) }
      return asks
    }
    for ask in asks { note("\(ask) is to be stored") }
    return asks
  }

  func note(_ asks: [OutboxAsk], _ storing: AskRecord.Storing) {
    state.withLock { state in for ask in asks { state.asks[ask.id].storing = storing } }
    for ask in asks { note("#\(ask.id) is \(storing)") }
  }

  /// Returns the requests of a burst that may be stored, as far as the user knows, and that were not stored
  /// and then forgotten.
  func takeUnknown() -> [OutboxAsk] {
    state.withLock { state in
      guard
        let first = state.asks.first(where: { record in
          record.storing == .unknown && state.last[record.ask.row] != .pruned
        })
      else { return [] }
      let asks = state.asks.filter { $0.ask.burst == first.ask.burst }.map(\.ask)
      guard !asks.contains(where: { state.last[$0.row] == .pruned }) else { return [] }
      for ask in asks { state.asks[ask.id].storing = .begun }
      return asks
    }
  }

  // MARK: The store

  /// - Parameter stored: The time that the store was given; nil for now.
  func add(_ kind: RowStep.Kind, _ row: OutboxID, by owner: String, at stored: StoreTime? = nil) {
    let (time, now) = (clock.now.offset, machine.time)
    let stored = stored ?? now
    let holder = state.withLock { $0.holders[row] }
    let livingHolder = holder.flatMap { machine.isAlive($0) ? $0 : nil }
    let step = state.withLock { state in
      var step = RowStep(
        index: state.steps.count, kind: kind, row: row, owner: owner, time: time, stored: stored,
        ticks: now.ticks)
      step.livingHolder = livingHolder
      let lane = OutboxAsk.id(of: row).flatMap {
        state.asks.indices.contains($0) ? state.asks[$0].ask.lane : nil
      }
      step.isPaused = state.isPaused || lane.map(state.pausedLanes.contains) ?? false
      if case .claimed(let end) = kind {
        state.holders[row] = owner
        state.leases["\(owner) \(row)"] = (end, stored.boot)
      } else if case .renewed(let end) = kind {
        state.leases["\(owner) \(row)"] = (end, stored.boot)
      } else if step.state != nil {
        state.holders[row] = nil
        state.leases["\(owner) \(row)"] = nil
      }
      state.last[row] = kind
      state.steps.append(step)
      return step
    }
    note("  \(step)")
  }

  /// Records that a process hands a request to the network.
  func send(_ row: OutboxID, by owner: String) {
    let now = machine.time
    state.withLock { state in
      // A lease continues although an earlier holder has recorded a late response, because its present holder
      // cannot know.
      guard let lease = state.leases["\(owner) \(row)"] else {
        state.unleased.append("\(row) by \(owner) at \(clock.now.offset), which has no lease")
        return
      }
      if lease.boot != now.boot || lease.ticks <= now.ticks {
        state.unleased.append("\(row) by \(owner) at tick \(now.ticks), with a lease until \(lease.ticks)")
      }
    }
  }

  func add(_ pass: GrantedPass) {
    state.withLock { $0.passes.append(pass) }
    note("  a request to \(pass.origin) may be sent, at tick \(pass.ticks)")
  }

  /// Records that a process closes its outbox, which gives its rows back.
  func close(_ owner: String) {
    let rows = state.withLock { state in state.holders.filter { $0.value == owner }.map(\.key) }
    for row in rows.sorted(by: { $0.rawValue < $1.rawValue }) { add(.returned, row, by: owner) }
  }

  /// Records that the network has returned.
  func rescheduleOffline(by owner: String) {
    let rows = state.withLock { state in
      state.last.filter { if case .failed = $0.value { true } else { false } }.map(\.key)
    }
    for row in rows.sorted(by: { $0.rawValue < $1.rawValue }) { add(.rescheduled, row, by: owner) }
  }

  func setPaused(_ isPaused: Bool, _ lane: String?) {
    state.withLock { state in
      guard let lane else {
        state.isPaused = isPaused
        return
      }
      if isPaused { state.pausedLanes.insert(lane) } else { state.pausedLanes.remove(lane) }
    }
    note("\(lane.map { "lane \($0)" } ?? "everything") \(isPaused ? "is paused" : "goes on")")
  }

  // MARK: Follows

  /// - Parameter mark: The value of `mark` when the follow began.
  func follow(_ row: OutboxID, since mark: Int, in process: String) -> Int {
    state.withLock { state in
      state.follows.append(Follow(id: state.follows.count, row: row, process: process, mark: mark))
      return state.follows.count - 1
    }
  }

  func hear(_ event: OutboxEvent, _ follow: Int) {
    state.withLock { state in
      state.follows[follow].events.append(event)
      state.follows[follow].heard = state.steps.count
    }
    note("    \(event.id): \(event.step)")
  }

  func endFollow(_ follow: Int, _ end: Follow.End) { state.withLock { $0.follows[follow].end = end } }

  func note(_ text: @autoclosure () -> String) {
    guard isTraced else { return }
    let line = LogLine(time: clock.now.offset, text: text())
    state.withLock { $0.log.append(line) }
  }
}

extension OutboxAsk {
  static func id(of row: OutboxID) -> Int? { Int(row.rawValue.dropFirst("ask-".count)) }
}
