/// The rules of an activity: when it is shown, and with which text. Pure: the time is passed in.
///
/// ```
/// hidden ─begin→ waiting ─delay elapsed→ shown ─last end→ lingering ─minimum elapsed→ hidden
///    ↑              │ last end              ↑                │ begin
///    └──────────────┘                       └────────────────┘
/// ```
struct ActivityState: Sendable {
  /// The effects of an event.
  struct Step: Sendable {
    let changes: ActivityChanges
    /// The time at which `ring` must be called, unless another event happens first; nil if no call is needed.
    let due: Duration?
  }

  private enum Phase: Sendable {
    case hidden
    case waiting(until: Duration)
    /// The activity is drawn. While it lingers, it has no entries.
    case shown(atLeastUntil: Duration)
  }

  private let text: String
  private let delay: Duration
  private let minimum: Duration
  private var phase = Phase.hidden
  private var entries = Slab<ActivityEntry>()
  private var blocking = 0
  private var newestText: Slab<ActivityEntry>.Token?
  private var meter = ActivityMeter()
  private(set) var snapshot: RequestActivity.Snapshot

  init(text: String, delay: Duration, minimum: Duration) {
    self.text = text
    // Clock instants are bounded: adding past the end would trap.
    self.delay = max(.zero, min(delay, .longest))
    self.minimum = max(.zero, min(minimum, .longest))
    snapshot = RequestActivity.Snapshot(text: text)
  }

  mutating func begin(text: String?, blocksInput: Bool, at now: Duration) -> (ActivityToken, Step) {
    let place = entries.insert(ActivityEntry(text: text, blocksInput: blocksInput, older: newestText))
    if text != nil {
      if let older = newestText { entries[older]?.newer = place }
      newestText = place
    }
    if blocksInput { blocking += 1 }
    meter.join()
    return (ActivityToken(place: place), settle(at: now))
  }

  mutating func progress(_ token: ActivityToken, _ progress: TransferProgress, at now: Duration) -> Step {
    if var entry = entries[token.place] {
      // A new attempt has no total at first, so the last attempt's total is assumed.
      if let amount = ActivityAmount(progress) ?? entry.amount?.restarted, amount != entry.amount {
        meter.change(entry.amount, to: amount)
        entry.amount = amount
        entries[token.place] = entry
      }
    }
    return settle(at: now)
  }

  mutating func end(_ token: ActivityToken, at now: Duration) -> Step {
    if let entry = entries.remove(token.place) {
      if entry.text != nil { unchain(entry) }
      if entry.blocksInput { blocking -= 1 }
      meter.leave(entry.amount)
    }
    return settle(at: now)
  }

  /// Handles the arrival of a step's `due` time.
  mutating func ring(at now: Duration) -> Step { settle(at: now) }

  /// Removes all requests. Called when the activity is released, so that no request can begin afterwards.
  mutating func close() -> ActivityChanges {
    entries = Slab()
    blocking = 0
    newestText = nil
    phase = .hidden
    return refresh()
  }

  private mutating func unchain(_ entry: ActivityEntry) {
    if let newer = entry.newer { entries[newer]?.older = entry.older } else { newestText = entry.older }
    if let older = entry.older { entries[older]?.newer = entry.newer }
  }

  // Runs after each event is applied. If the timer fires late, an activity that has already ended is
  // therefore not shown, and a request that has begun keeps a lingering activity shown.
  private mutating func settle(at now: Duration) -> Step {
    if case .hidden = phase, !entries.isEmpty { phase = .waiting(until: now + delay) }
    switch phase {
    case .waiting where entries.isEmpty: phase = .hidden
    case .waiting(let end) where now >= end:
      phase = .shown(atLeastUntil: now + minimum)
      meter.watch()
    case .shown(let end) where entries.isEmpty && now >= end: phase = .hidden
    default: break
    }
    return Step(changes: refresh(), due: due)
  }

  private var due: Duration? {
    switch phase {
    case .hidden: nil
    case .waiting(let end): end
    case .shown(let end): entries.isEmpty ? end : nil
    }
  }

  private mutating func refresh() -> ActivityChanges {
    let old = snapshot
    if case .hidden = phase {
      meter = ActivityMeter()
      snapshot = RequestActivity.Snapshot(text: text)
      return snapshot.changes(since: old)
    }
    if case .shown = phase { snapshot.isShown = true }
    // A lingering activity keeps its last text.
    if !entries.isEmpty { snapshot.text = newestText.flatMap { entries[$0]?.text } ?? text }
    snapshot.blocksInput = blocking > 0
    snapshot.fraction = meter.fraction.map { (($0 + 1e-9) * 1000).rounded(.down) / 1000 }
    snapshot.count = entries.count
    return snapshot.changes(since: old)
  }
}

/// One request of an activity.
struct ActivityEntry: Sendable {
  let text: String?
  let blocksInput: Bool
  var amount: ActivityAmount?
  // Entries with a text form a linked list, so that the newest is found in constant time.
  var older: Slab<ActivityEntry>.Token?
  var newer: Slab<ActivityEntry>.Token?
}

/// A request's entry in an activity. Valid until the request ends.
package struct ActivityToken: Sendable, Hashable {
  let place: Slab<ActivityEntry>.Token
}

/// A set of an activity's properties.
struct ActivityChanges: OptionSet, Sendable {
  let rawValue: UInt8

  static let isShown = ActivityChanges(rawValue: 1)
  static let text = ActivityChanges(rawValue: 2)
  static let blocksInput = ActivityChanges(rawValue: 4)
  static let fraction = ActivityChanges(rawValue: 8)
  static let count = ActivityChanges(rawValue: 16)
}
