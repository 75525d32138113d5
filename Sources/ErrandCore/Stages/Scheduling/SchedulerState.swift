/// Decides which requests hold slots and which request starts next.
///
/// A waiting request is due at its arrival plus one ageing interval for each priority above its own. Of the
/// requests that may start, the one with the earliest due time starts. This has the same effect as raising a
/// request by one priority after each interval, to the tail of the line there, but no request has to be
/// moved. By age, `utility` and `background` overtake higher priorities with at most one of eight starts, so
/// that many old requests do not hold up requests that a person waits for.
///
/// Only the head of each line is examined, so no step depends on the number of waiting requests.
struct SchedulerState<Payload> {
  /// Measured: with a smaller number, many old requests delay pages; with a larger one, pages hardly gain
  /// anything.
  private static var startsPerOvertaking: Int { 8 }

  /// A request that stops waiting and starts.
  struct Start {
    let payload: Payload
    let slot: Slot
  }

  private(set) var limits: ConcurrencyLimits
  private var bounds: SlotBounds
  private var origins = OriginSlots()
  private var waiters = WaiterTable<Payload>()
  /// For each priority, the heads of the lines whose origins have capacity.
  private var heads = [ArrivalSet](repeating: ArrivalSet(), count: Priority.levels)
  private var runningUnseen = 0
  private var latest = Duration.zero
  private var startsSinceOvertaking = startsPerOvertaking
  private(set) var load = SlotLoad()

  init(_ limits: ConcurrencyLimits) {
    self.limits = limits
    bounds = SlotBounds(limits)
  }

  /// True if nothing runs, waits or is remembered.
  var isEmpty: Bool {
    load == SlotLoad() && runningUnseen == 0 && origins.isEmpty && waiters.count == 0
      && heads.allSatisfy(\.isEmpty)
  }

  /// Returns true if a request would get a slot at once.
  func hasFree(_ priority: Priority, origin name: String?) -> Bool {
    guard hasRoom(isSeen: priority.isSeen) else { return false }
    guard let name, limits.perOrigin != nil else { return true }
    return origins.hasRoom(named: name, isSeen: priority.isSeen, bounds)
  }

  /// Returns a slot if one is free at once. Otherwise, changes nothing.
  mutating func startAtOnce(_ priority: Priority, origin name: String?) -> Slot? {
    // No waiting request could use this slot, so the new request overtakes none.
    guard hasRoom(isSeen: priority.isSeen) else { return nil }
    guard let name, limits.perOrigin != nil else { return start(priority, OriginSlots.unnamed) }
    let origin = origins.makePlace(of: name)
    // A new origin has capacity.
    return origins.hasRoom(origin, isSeen: priority.isSeen, bounds) ? start(priority, origin) : nil
  }

  /// Starts a request at once, or lets it wait.
  /// - Parameter name: The origin, which matters only if there is a limit per origin.
  mutating func arrive(_ payload: Payload, _ priority: Priority, origin name: String?, at now: Duration)
    -> QueueArrival<Slot>
  {
    if let slot = startAtOnce(priority, origin: name) { return .started(slot) }
    latest = max(latest, now)
    var origin = OriginSlots.unnamed
    if let name, limits.perOrigin != nil { origin = origins.makePlace(of: name) }
    let ticket = waiters.insert(payload, since: latest, priority: priority, origin: origin)
    join(ticket.place)
    return .waiting(ticket)
  }

  /// Removes a waiting request. Returns nil if it no longer waits.
  mutating func leave(_ ticket: Ticket) -> Payload? {
    guard let place = waiters.place(of: ticket) else { return nil }
    let origin = waiters[place].origin
    part(place)
    origins.forgetIfQuiet(origin)
    return waiters.remove(place)
  }

  /// Takes back a slot. Returns the requests that start.
  mutating func finish(_ slot: Slot) -> [Start] {
    precondition(load.running > 0, "a slot was released twice")
    load.running -= 1
    if !slot.isSeen { runningUnseen -= 1 }
    if slot.origin != OriginSlots.unnamed {
      origins[slot.origin].running -= 1
      if !slot.isSeen { origins[slot.origin].runningUnseen -= 1 }
      announceAll(slot.origin)
      origins.forgetIfQuiet(slot.origin)
    }
    return startAll()
  }

  /// Moves a waiting request to its place of arrival in a higher priority. A lower priority changes nothing.
  mutating func raise(_ ticket: Ticket, to priority: Priority) -> [Start] {
    guard let place = waiters.place(of: ticket), waiters[place].priority < priority else { return [] }
    return move(ticket, to: priority)
  }

  /// Moves a waiting request to its place of arrival in another priority, higher or lower.
  mutating func move(_ ticket: Ticket, to priority: Priority) -> [Start] {
    guard let place = waiters.place(of: ticket), waiters[place].priority != priority else { return [] }
    part(place)
    waiters[place].priority = priority
    join(place)
    return startAll()
  }

  /// Changes the limits. Running requests finish. Visits all origins, because their limit may have changed.
  mutating func setLimits(_ new: ConcurrencyLimits) -> [Start] {
    limits = new
    bounds = SlotBounds(new)
    for origin in origins.all { announceAll(origin) }
    return startAll()
  }

  private func hasRoom(isSeen: Bool) -> Bool {
    load.running < bounds.total && (isSeen || runningUnseen < bounds.unseen)
  }

  private mutating func startAll() -> [Start] {
    guard waiters.count > 0 else { return [] }
    var started: [Start] = []
    while let place = next() {
      let (priority, origin) = (waiters[place].priority, waiters[place].origin)
      part(place)
      let slot = start(priority, origin)
      if let payload = waiters.remove(place) { started.append(Start(payload: payload, slot: slot)) }
    }
    return started
  }

  /// Returns the place of the request that starts next, or nil if none may start.
  private mutating func next() -> Int? {
    guard load.running < bounds.total else { return nil }
    let seen = earliest(of: Priority.default.level..<Priority.levels)
    guard hasRoom(isSeen: false), let unseen = earliest(of: 0..<Priority.default.level) else {
      return seen?.place
    }
    guard let seen else { return unseen.place }
    guard unseen.due < seen.due, startsSinceOvertaking >= Self.startsPerOvertaking else { return seen.place }
    startsSinceOvertaking = 0
    return unseen.place
  }

  private func earliest(of levels: Range<Int>) -> (place: Int, due: Duration)? {
    var earliest: (place: Int, due: Duration)?
    for level in levels.reversed() {
      guard let place = heads[level].first else { continue }
      let due = waiters[place].since + bounds.delays[level]
      if let earliest, earliest.due <= due { continue }
      earliest = (place, due)
    }
    return earliest
  }

  private mutating func start(_ priority: Priority, _ origin: Int) -> Slot {
    load.running += 1
    startsSinceOvertaking += 1
    if !priority.isSeen { runningUnseen += 1 }
    if origin != OriginSlots.unnamed {
      origins[origin].running += 1
      if !priority.isSeen { origins[origin].runningUnseen += 1 }
      announceAll(origin)
    }
    return Slot(origin: origin, isSeen: priority.isSeen)
  }

  private mutating func join(_ place: Int) {
    let (origin, level) = (waiters[place].origin, waiters[place].priority.level)
    load.waitingByLevel[level] += 1
    origins[origin].waiting += 1
    origins[origin, level].insert(place, in: &waiters)
    announce(origin, level)
  }

  private mutating func part(_ place: Int) {
    let (origin, level) = (waiters[place].origin, waiters[place].priority.level)
    load.waitingByLevel[level] -= 1
    origins[origin].waiting -= 1
    origins[origin, level].remove(place, in: &waiters)
    announce(origin, level)
  }

  private mutating func announceAll(_ origin: Int) {
    guard origins[origin].waiting > 0 else { return }
    for level in 0..<Priority.levels { announce(origin, level) }
  }

  /// Puts a line's head into `heads` if its origin has capacity, and removes a previous entry of the line.
  private mutating func announce(_ origin: Int, _ level: Int) {
    let isSeen = level >= Priority.default.level
    let hasRoom = origins.hasRoom(origin, isSeen: isSeen, bounds)
    let head = hasRoom ? origins[origin, level].head(in: waiters) : nil
    let arrival = head.map { waiters[$0].arrival } ?? 0
    let before = origins[origin, level].announced
    guard arrival != before else { return }
    origins[origin, level].announced = arrival
    if before != 0 { heads[level].remove(before) }
    if let head { heads[level].insert(arrival, place: head) }
  }
}

extension SchedulerState: Sendable where Payload: Sendable {}
extension SchedulerState.Start: Sendable where Payload: Sendable {}
