/// What a rate limit is for within an origin.
enum RateGroup: Sendable, Hashable {
  /// The requests with this key of the caller's.
  case key(String)
  /// The requests with this identity and these credentials, or all requests.
  case identity([String])

  static let all = RateGroup.identity([])
}

/// A request's origin and group, with their limits.
struct RateSubject: Sendable, Hashable {
  var origin: String
  var group = RateGroup.all
  /// The limit of the origin; nil for none.
  var originLimit: RateLimit?
  /// The limit of the key; nil for none.
  var groupLimit: RateLimit?
}

/// The permission to make an attempt. It is given back once: when the attempt has ended, or will not begin.
struct RatePass: Sendable, Hashable {
  fileprivate let origin: Int
  fileprivate let group: Int
  /// Grows with each attempt.
  fileprivate let number: UInt64
}

/// Decides which attempts may begin, by the rate limits of origins and keys and the quotas of servers. Pure: the time is
/// a parameter, and effects are returned.
///
/// An origin has a gate, and so has each group of its requests. A request must pass both. A gate is closed while its
/// bucket is empty, or its server's quota is used up. When both are open, the requests of the origin start as
/// `SchedulerState` starts those that wait for a slot: the earliest due time first, where a lower priority is due later,
/// and `utility` and `background` overtake higher priorities with at most one of eight starts.
///
/// A closed gate with waiting requests has an alarm, the time at which it opens. `advance` opens the gates whose time
/// has come. Every other method does so first, so no new request overtakes one that may start. No step depends on the
/// number of waiting requests, origins or groups.
struct RateLimiterState<Payload> {
  /// As in `SchedulerState`.
  private static var startsPerOvertaking: Int { 8 }
  /// The number of origins, and of groups, up to which idle ones are remembered.
  private static var remembered: Int { 64 }
  /// The time is bounded, so that adding a wait to it does not overflow.
  private static var lastTime: Duration { .longest * 1000 }

  /// A request that stops waiting and starts.
  struct Start {
    let payload: Payload
    let pass: RatePass
  }

  private struct Gate {
    var bucket: TokenBucket?
    var quota: ServerQuota?
    var inFlight = 0
    var waiting = 0
    /// The time at which the gate is looked at again; nil if it needs no look.
    var alarm: Duration?

    /// Returns how long the gate stays closed; nil if it is open.
    func wait(at now: Duration) -> Duration? {
      let wait = max(bucket?.wait(at: now) ?? .zero, quota?.wait(at: now) ?? .zero)
      return wait > .zero ? wait : nil
    }

    /// True if a new gate would do the same.
    func isIdle(at now: Duration) -> Bool {
      waiting == 0 && inFlight == 0 && bucket?.isFull(at: now) != false
        && quota.map { now >= $0.until } != false
    }

    /// Returns true if the gate had another limit.
    mutating func setLimit(_ limit: RateLimit?, at now: Duration) -> Bool {
      guard let limit, limit != bucket?.limit else { return false }
      if bucket == nil { bucket = TokenBucket(limit, at: now) } else { bucket?.setLimit(limit, at: now) }
      return true
    }

    mutating func pass(at now: Duration) {
      _ = bucket?.hold(at: now)
      quota?.take()
      inFlight += 1
    }

    mutating func putBack() {
      bucket?.putBack()
      quota?.putBack()
      inFlight -= 1
    }

    mutating func note(
      _ reports: [ServerQuota.Report], of attempt: UInt64, longest: Duration, at now: Duration
    ) {
      let tightest = reports.min { ($0.left, $1.reset) < ($1.left, $0.reset) }
      guard let tightest else { return }
      let new = ServerQuota(tightest, of: attempt, inFlight: inFlight, longest: longest, at: now)
      if quota == nil { quota = new } else { quota?.replace(by: new, at: now) }
    }
  }

  private struct Origin {
    var name = ""
    var gate = Gate()
    var groups: [RateGroup: Int] = [:]
    /// For each priority, the heads of the lines whose groups are open.
    var heads = [ArrivalSet](repeating: ArrivalSet(), count: Priority.levels)
    var startsSinceOvertaking = startsPerOvertaking
  }

  private struct Group {
    var name = RateGroup.all
    var origin = -1
    var gate = Gate()
    /// For each priority, the waiting requests.
    var lines = [WaitingLine](repeating: WaitingLine(), count: Priority.levels)
  }

  private struct Alarm {
    let due: Duration
    let isOfGroup: Bool
    let place: Int
    let serial: UInt64
  }

  private let delays: [Duration]
  private let longestQuota: Duration
  private var places: [String: Int] = [:]
  private var origins = PlaceTable<Origin>()
  private var groups = PlaceTable<Group>()
  private var waiters = WaiterTable<Payload>()
  private var alarms = Heap<Alarm> { $0.due < $1.due }
  private var latest = Duration.zero
  private var lastNumber: UInt64 = 0

  /// - Parameters:
  ///   - ageing: As in `ConcurrencyLimits`.
  ///   - longestQuota: The longest time for which one response makes requests wait.
  init(ageing: Duration, longestQuota: Duration) {
    let ageing = max(.zero, min(ageing, .longest))
    delays = Priority.allCases.map { ageing * (Priority.levels - 1 - $0.level) }
    self.longestQuota = max(.zero, min(longestQuota, .longest))
  }

  /// The number of waiting requests.
  var waiting: Int { waiters.count }
  /// The number of attempts in flight.
  var inFlight: Int { origins.places.reduce(0) { $0 + origins[$1].gate.inFlight } }
  /// The number of origins and groups that are remembered.
  var count: Int { origins.count + groups.count }
  /// The time at which `advance` must be called; nil if no gate with waiting requests is closed.
  var nextAlarm: Duration? { alarms.first?.due }

  /// Returns a pass if the request may begin at once, and the requests that start before it. Otherwise, the request
  /// must arrive.
  mutating func passAtOnce(_ subject: RateSubject, at now: Duration) -> (RatePass?, [Start]) {
    let (origin, group, started) = enter(subject, at: now)
    return (pass(origin, group), started)
  }

  /// Lets a request begin at once, or wait. Returns the requests that start before it, too.
  mutating func arrive(_ payload: Payload, _ priority: Priority, _ subject: RateSubject, at now: Duration)
    -> (QueueArrival<RatePass>, [Start])
  {
    let (origin, group, started) = enter(subject, at: now)
    if let pass = pass(origin, group) { return (.started(pass), started) }
    let ticket = waiters.insert(payload, since: latest, priority: priority, origin: group)
    join(ticket.place)
    rest(origin)
    return (.waiting(ticket), started)
  }

  /// Removes a waiting request. Returns nil if it no longer waits.
  mutating func leave(_ ticket: Ticket) -> Payload? {
    guard let place = waiters.place(of: ticket) else { return nil }
    part(place)
    return waiters.remove(place)
  }

  /// Moves a waiting request to its place of arrival in another priority.
  mutating func move(_ ticket: Ticket, to priority: Priority) {
    guard let place = waiters.place(of: ticket), waiters[place].priority != priority else { return }
    part(place)
    waiters[place].priority = priority
    join(place)
  }

  /// Notes that the attempt of a pass begins: until then, its tokens do not come back. Returns the requests that start.
  mutating func begin(_ pass: RatePass, at now: Duration) -> [Start] {
    tick(now)
    origins[pass.origin].gate.bucket?.begin(at: latest)
    groups[pass.group].gate.bucket?.begin(at: latest)
    return reopen(pass.origin, pass.group) + advance(to: now)
  }

  /// Holds the tokens of a pass again, after `begin`.
  mutating func holdAgain(_ pass: RatePass, at now: Duration) {
    tick(now)
    origins[pass.origin].gate.bucket?.holdAgain(at: latest)
    groups[pass.group].gate.bucket?.holdAgain(at: latest)
  }

  /// Takes back the pass of an attempt that has ended. Returns the requests that start.
  /// - Parameters:
  ///   - reports: The quotas in the response.
  ///   - speaker: The name of the origin that sent the response; nil if it is that of the pass.
  mutating func finish(
    _ pass: RatePass, _ reports: [ServerQuota.Report] = [], from speaker: String? = nil, at now: Duration
  ) -> [Start] {
    tick(now)
    origins[pass.origin].gate.inFlight -= 1
    groups[pass.group].gate.inFlight -= 1
    var started: [Start] = []
    if !reports.isEmpty {
      if let speaker {
        let name = groups[pass.group].name
        let (origin, group) = makePlaces(origin: speaker, group: name)
        started = note(reports, pass.number, origin, group)
      } else {
        started = note(reports, pass.number, pass.origin, pass.group)
      }
    }
    return started + advance(to: now)
  }

  /// Takes back the pass of an attempt that has not begun. Returns the requests that start.
  mutating func putBack(_ pass: RatePass, at now: Duration) -> [Start] {
    tick(now)
    origins[pass.origin].gate.putBack()
    groups[pass.group].gate.putBack()
    return reopen(pass.origin, pass.group) + advance(to: now)
  }

  /// Opens the gates whose time has come. Returns the requests that start.
  mutating func advance(to now: Duration) -> [Start] {
    tick(now)
    var started: [Start] = []
    while let alarm = alarms.first, alarm.due <= latest {
      _ = alarms.removeFirst()
      guard isValid(alarm) else { continue }
      if alarm.isOfGroup {
        groups[alarm.place].gate.alarm = nil
        started += reopen(groups[alarm.place].origin, alarm.place)
      } else {
        origins[alarm.place].gate.alarm = nil
        started += startAll(alarm.place)
      }
    }
    return started
  }

  private mutating func tick(_ now: Duration) { latest = max(latest, min(now, Self.lastTime)) }

  // MARK: Places

  /// Finds the request's places, sets their limits, and opens the gates whose time has come.
  private mutating func enter(_ subject: RateSubject, at now: Duration) -> (origin: Int, group: Int, [Start])
  {
    var started = advance(to: now)
    forgetIdle()
    let (origin, group) = makePlaces(origin: subject.origin, group: subject.group)
    let isOriginChanged = origins[origin].gate.setLimit(subject.originLimit, at: latest)
    let isGroupChanged = groups[group].gate.setLimit(subject.groupLimit, at: latest)
    if isOriginChanged || isGroupChanged { started += reopen(origin, group) }
    return (origin, group, started)
  }

  private mutating func makePlaces(origin name: String, group: RateGroup) -> (origin: Int, group: Int) {
    let origin: Int
    if let place = places[name] {
      origin = place
    } else {
      origin = origins.insert(Origin(name: name))
      places[name] = origin
    }
    if let place = origins[origin].groups[group] { return (origin, place) }
    let place = groups.insert(Group(name: group, origin: origin))
    origins[origin].groups[group] = place
    return (origin, place)
  }

  /// Forgets some of the idle groups and origins, if there are many. Each arrival looks at two of each and adds at most
  /// one, so that they do not pile up.
  private mutating func forgetIdle() {
    for _ in 0..<2 where groups.count > Self.remembered {
      guard let place = groups.nextInTurn(), groups[place].gate.isIdle(at: latest) else { continue }
      let origin = groups[place].origin
      origins[origin].groups[groups[place].name] = nil
      groups.remove(place, leaving: Group())
    }
    for _ in 0..<2 where origins.count > Self.remembered {
      guard let place = origins.nextInTurn(), origins[place].groups.isEmpty,
        origins[place].gate.isIdle(at: latest)
      else { continue }
      places[origins[place].name] = nil
      origins.remove(place, leaving: Origin())
    }
  }

  // MARK: Gates

  /// Takes a pass if both gates are open.
  private mutating func pass(_ origin: Int, _ group: Int) -> RatePass? {
    guard origins[origin].gate.wait(at: latest) == nil, groups[group].gate.wait(at: latest) == nil else {
      return nil
    }
    origins[origin].gate.pass(at: latest)
    origins[origin].startsSinceOvertaking += 1
    groups[group].gate.pass(at: latest)
    announceAll(group)
    lastNumber += 1
    return RatePass(origin: origin, group: group, number: lastNumber)
  }

  /// Notes the quotas in a response. Those of a request with a key are for its key, and those of a partition are for its
  /// identity. Returns the requests that start.
  private mutating func note(
    _ reports: [ServerQuota.Report], _ attempt: UInt64, _ origin: Int, _ group: Int
  ) -> [Start] {
    let isKey: Bool
    if case .key = groups[group].name { isKey = true } else { isKey = false }
    groups[group].gate.note(
      reports.filter { isKey || $0.isOfPartition }, of: attempt, longest: longestQuota, at: latest)
    origins[origin].gate.note(
      reports.filter { !isKey && !$0.isOfPartition }, of: attempt, longest: longestQuota, at: latest)
    return reopen(origin, group)
  }

  /// Starts what may start after a change of the gates.
  private mutating func reopen(_ origin: Int, _ group: Int) -> [Start] {
    announceAll(group)
    return startAll(origin)
  }

  private mutating func startAll(_ origin: Int) -> [Start] {
    var started: [Start] = []
    while let place = next(origin) {
      let group = waiters[place].origin
      part(place)
      guard let payload = waiters.remove(place), let pass = pass(origin, group) else { continue }
      started.append(Start(payload: payload, pass: pass))
    }
    rest(origin)
    return started
  }

  /// Returns the place of the request that starts next, or nil if none may start.
  private mutating func next(_ origin: Int) -> Int? {
    guard origins[origin].gate.waiting > 0, origins[origin].gate.wait(at: latest) == nil else { return nil }
    let seen = earliest(origin, of: Priority.default.level..<Priority.levels)
    guard let unseen = earliest(origin, of: 0..<Priority.default.level) else { return seen?.place }
    guard let seen else { return unseen.place }
    guard unseen.due < seen.due, origins[origin].startsSinceOvertaking >= Self.startsPerOvertaking else {
      return seen.place
    }
    origins[origin].startsSinceOvertaking = 0
    return unseen.place
  }

  private func earliest(_ origin: Int, of levels: Range<Int>) -> (place: Int, due: Duration)? {
    var earliest: (place: Int, due: Duration)?
    for level in levels.reversed() {
      guard let place = origins[origin].heads[level].first else { continue }
      let due = waiters[place].since + delays[level]
      if let earliest, earliest.due <= due { continue }
      earliest = (place, due)
    }
    return earliest
  }

  // MARK: Lines

  private mutating func join(_ place: Int) {
    let (group, level) = (waiters[place].origin, waiters[place].priority.level)
    origins[groups[group].origin].gate.waiting += 1
    groups[group].gate.waiting += 1
    groups[group].lines[level].insert(place, in: &waiters)
    announce(group, level, isOpen: rest(ofGroup: group))
  }

  private mutating func part(_ place: Int) {
    let (group, level) = (waiters[place].origin, waiters[place].priority.level)
    origins[groups[group].origin].gate.waiting -= 1
    groups[group].gate.waiting -= 1
    groups[group].lines[level].remove(place, in: &waiters)
    announce(group, level, isOpen: rest(ofGroup: group))
  }

  private mutating func announceAll(_ group: Int) {
    guard groups[group].gate.waiting > 0 else { return }
    let isOpen = rest(ofGroup: group)
    for level in 0..<Priority.levels { announce(group, level, isOpen: isOpen) }
  }

  /// Puts a line's head into the origin's heads if its group is open, and removes a previous entry of the line.
  private mutating func announce(_ group: Int, _ level: Int, isOpen: Bool) {
    let origin = groups[group].origin
    let head = isOpen ? groups[group].lines[level].head(in: waiters) : nil
    let arrival = head.map { waiters[$0].arrival } ?? 0
    let before = groups[group].lines[level].announced
    guard arrival != before else { return }
    groups[group].lines[level].announced = arrival
    if before != 0 { origins[origin].heads[level].remove(before) }
    if let head { origins[origin].heads[level].insert(arrival, place: head) }
  }

  // MARK: Alarms

  /// Sets the alarm of an origin that is closed, if requests wait.
  private mutating func rest(_ origin: Int) {
    guard let due = Self.newAlarm(&origins[origin].gate, at: latest) else { return }
    add(Alarm(due: due, isOfGroup: false, place: origin, serial: origins.serial(of: origin)))
  }

  /// Returns true if the group is open. Otherwise, sets its alarm, if requests wait.
  private mutating func rest(ofGroup group: Int) -> Bool {
    if let due = Self.newAlarm(&groups[group].gate, at: latest) {
      add(Alarm(due: due, isOfGroup: true, place: group, serial: groups.serial(of: group)))
    }
    return groups[group].gate.wait(at: latest) == nil
  }

  private static func newAlarm(_ gate: inout Gate, at now: Duration) -> Duration? {
    // A gate whose tokens are held is looked at when an attempt begins.
    guard gate.waiting > 0, gate.bucket?.isHeld != true, let wait = gate.wait(at: now) else { return nil }
    let due = now + wait
    if let alarm = gate.alarm, alarm <= due { return nil }
    gate.alarm = due
    return due
  }

  private mutating func add(_ alarm: Alarm) {
    // An alarm that was replaced by an earlier one stays until its time, and these must not pile up.
    if alarms.count > 2 * count + 64 {
      var valid = Heap<Alarm> { $0.due < $1.due }
      while let alarm = alarms.removeFirst() { if isValid(alarm) { valid.insert(alarm) } }
      alarms = valid
    }
    alarms.insert(alarm)
  }

  private func isValid(_ alarm: Alarm) -> Bool {
    alarm.isOfGroup
      ? groups.serial(of: alarm.place) == alarm.serial && groups[alarm.place].gate.alarm == alarm.due
      : origins.serial(of: alarm.place) == alarm.serial && origins[alarm.place].gate.alarm == alarm.due
  }
}

/// Values at places that are reused. Each value has a serial number, which tells it from a later one at its place.
private struct PlaceTable<Element> {
  /// The capacity above which an empty table releases its memory.
  private static var reservedCapacity: Int { 1024 }

  private var elements: [Element] = []
  /// 0 for a free place.
  private var serials: [UInt64] = []
  private var free: [Int] = []
  private var lastSerial: UInt64 = 0
  private var turn = 0

  var count: Int { elements.count - free.count }
  var places: Range<Int> { elements.indices }

  subscript(place: Int) -> Element {
    _read { yield elements[place] }
    _modify { yield &elements[place] }
  }

  func serial(of place: Int) -> UInt64 { place < serials.count ? serials[place] : 0 }

  mutating func insert(_ element: Element) -> Int {
    lastSerial += 1
    guard let place = free.popLast() else {
      elements.append(element)
      serials.append(lastSerial)
      return elements.count - 1
    }
    (elements[place], serials[place]) = (element, lastSerial)
    return place
  }

  /// - Parameter blank: An empty value for the free place.
  mutating func remove(_ place: Int, leaving blank: Element) {
    (elements[place], serials[place]) = (blank, 0)
    free.append(place)
    if count == 0, elements.count > Self.reservedCapacity { (elements, serials, free) = ([], [], []) }
  }

  /// Returns the next place in turn, or nil if it is free.
  mutating func nextInTurn() -> Int? {
    turn = turn + 1 < elements.count ? turn + 1 : 0
    return serial(of: turn) == 0 ? nil : turn
  }
}

extension PlaceTable: Sendable where Element: Sendable {}
extension RateLimiterState: Sendable where Payload: Sendable {}
extension RateLimiterState.Start: Sendable where Payload: Sendable {}
