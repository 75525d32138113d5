/// The health of all known origins, and the bounds on the attempts in flight to all of them. Pure.
///
/// Attempts to origins that respond count against `total`. An origin of which it is unknown whether it
/// responds gets one attempt in flight, which counts against `probes`. Therefore origins that hang take no
/// capacity from origins that respond, and do not prevent the discovery of another responding origin.
struct OriginTable: Sendable {
  let limits: OriginState.Limits
  /// The most attempts in flight to origins that respond.
  let total: Int
  /// The most origins that are probed at once.
  let probes: Int

  private(set) var origins: [String: OriginState] = [:]
  private var originOf: [Lease: String] = [:]
  private(set) var regular = 0
  private(set) var probing = 0
  private(set) var hanging = 0
  /// The number of responding origins that have capacity for more rows, and of the other origins that have.
  private(set) var hungryRegular = 0
  private(set) var hungryProbing = 0
  /// The number of origins that respond.
  private var responding = 0
  /// The number of rows that wait for a probe.
  private var waitingForProbe = 0
  /// Origins with an end recorded since the last wish. A claim that was made earlier may bring fewer of their
  /// rows than there are now.
  private var recordedSince: Set<String> = []
  /// When the passing of time next changes something; nil if it does not.
  private(set) var nextChange: Duration?
  private var nextTidying = Duration.zero

  init(total: Int, probes: Int, limits: OriginState.Limits) {
    self.total = min(max(1, total), Self.mostAtOnce)
    self.probes = min(max(1, probes), Self.mostAtOnce)
    self.limits = limits
  }

  /// True if the number of probed origins has reached its limit. A probe then counts as hanging sooner, so
  /// that a healthy origin is found among hundreds that hang.
  private var isCrowded: Bool { probing >= probes }
  private var patience: Duration { isCrowded ? limits.patience / 8 : limits.patience }

  /// More than the number of sockets of any machine.
  static let mostAtOnce = 1 << 16

  /// The most attempts to origins that do not respond. Each holds a connection.
  private var mostHanging: Int { 12 * probes }
  /// The most such attempts before an origin gets a second attempt beside one that hangs. The rest is for
  /// unknown origins.
  private var mostFurther: Int { 2 * probes }

  var isAnyResponding: Bool { responding > 0 }

  // MARK: Counting

  private mutating func change<Value>(_ origin: String, _ body: (inout OriginState) -> Value) -> Value {
    count(origins[origin], by: -1)
    let value = body(&origins[origin, default: OriginState(origin)])
    count(origins[origin], by: 1)
    if let change = origins[origin]?.nextChange(limits) { expectChange(at: change) }
    return value
  }

  private mutating func expectChange(at time: Duration) { nextChange = min(nextChange ?? time, time) }

  private mutating func count(_ origin: OriginState?, by one: Int) {
    guard let origin else { return }
    hanging += one * (origin.inFlight - origin.moving)
    switch origin.account {
    case .regular:
      regular += one * origin.moving
      responding += one
    case .probing:
      probing += one * origin.moving
      waitingForProbe += one * min(1, origin.waiting)
    case .none: break
    }
    guard isHungry(origin) else { return }
    if origin.account == .regular { hungryRegular += one } else { hungryProbing += one }
  }

  /// True if at most half of the rows that the origin should have ahead are waiting.
  private func isHungry(_ origin: OriginState) -> Bool {
    guard !origin.isDry, !origin.isResting else { return false }
    switch origin.account {
    case .regular: return origin.waiting <= 2 * min(origin.window, origin.most(limits))
    case .probing: return origin.waiting == 0 && origin.mayBegin(limits)
    case .none: return false
    }
  }

  // MARK: Attempts

  func mayBegin(_ origin: String) -> Bool {
    let state = origins[origin] ?? OriginState(origin)
    guard state.mayBegin(limits) else { return false }
    if state.account == .regular { return regular < total }
    return probing < probes && probing + hanging < (state.inFlight > 0 ? mostFurther : mostHanging)
  }

  /// True if the rows that wait for the origin have to be given back, because they take the capacity of rows
  /// that may be sent.
  func givesBack(_ origin: String) -> Bool {
    guard let state = origins[origin] else { return false }
    if state.isResting, state.isSlow { return state.waiting > 0 }
    guard state.account == .probing else { return state.account == .none }
    // The rows of a half-open origin are tried one after the other, until too many hang.
    return state.waiting > 1 && !(state.phase == .halfOpen && state.hasRoomForProbe(limits))
  }

  /// Moves one waiting row of the origin to those in flight.
  mutating func begin(_ lease: Lease, _ origin: String, at now: Duration) {
    originOf[lease] = origin
    change(origin) { state in
      state.waiting -= 1
      state.begin(lease, at: now)
    }
    if isCrowded { expectChange(at: now + patience) }
  }

  mutating func end(
    _ lease: Lease, _ sign: OriginSign, at now: Duration
  ) -> (origin: String, change: OriginNews.Change)? {
    guard let origin = originOf.removeValue(forKey: lease) else { return nil }
    let limits = limits
    return change(origin) { $0.end(lease, sign, at: now, limits) }.map { (origin, $0) }
  }

  func isRefusedAlone(_ lease: Lease) -> Bool {
    originOf[lease].flatMap { origins[$0] }?.isRefusedAlone(lease.id) ?? false
  }

  /// Changes the number of rows that wait for the origin, for another reason than sending them.
  mutating func wait(_ origin: String, by count: Int) { change(origin) { $0.waiting += count } }

  /// Notes that an end was recorded, which may make other rows of the origin claimable.
  mutating func recorded(_ origin: String) {
    recordedSince.insert(origin)
    guard origins[origin]?.isDry == true else { return }
    change(origin) { $0.isDry = false }
  }

  /// Begins no attempt at the origin before this time, because of its rate limit.
  mutating func rest(_ origin: String, until end: Duration, at now: Duration) {
    change(origin) { $0.rest(until: end, at: now) }
  }

  mutating func recordedHold(_ origin: String) { origins[origin]?.isRecorded = true }

  // MARK: Time

  /// Applies the passing of time.
  /// - Returns: True if more rows may be claimed than before.
  mutating func advance(to now: Duration) -> Bool {
    guard let change = nextChange, now >= change else { return false }
    nextChange = nil
    var mayClaim = false
    var limits = limits
    limits.patience = patience
    for (name, state) in origins {
      guard let change = state.nextChange(limits) else { continue }
      if now >= change {
        if self.change(name, { $0.advance(to: now, limits) }) { mayClaim = true }
      } else {
        expectChange(at: change)
      }
    }
    return mayClaim
  }

  /// Forgets origins that were idle for a long time, so that the table does not grow with every origin that
  /// was ever used.
  mutating func tidy(at now: Duration) {
    guard now >= nextTidying else { return }
    nextTidying = now + .seconds(30)
    for (name, state) in origins where state.isForgettable(at: now, limits) {
      count(state, by: -1)
      origins[name] = nil
    }
  }

  /// Probes these origins at once; nil for all.
  mutating func release(_ names: [String]? = nil) {
    for name in names ?? Array(origins.keys) where origins[name] != nil { change(name) { $0.release() } }
  }

  // MARK: Claiming

  /// The number of rows that a claim should bring, by origin.
  struct Wish: Sendable, Hashable {
    var capacities: [String: Int]
    var others: Int
    /// The origins that are open and recorded as such, each with its epoch.
    var open: [String: Int]

    /// Limits the wish to these origins.
    mutating func limit(to names: Set<String>) {
      capacities = capacities.filter { names.contains($0.key) }
      open = open.filter { names.contains($0.key) }
      for name in names where capacities[name] == nil { capacities[name] = min(1, others) }
      others = 0
    }
  }

  var othersRoom: Int { max(0, min(probes - probing, mostHanging - probing - hanging) - waitingForProbe) }

  mutating func wish(mostWaiting: Int) -> Wish {
    recordedSince.removeAll(keepingCapacity: true)
    var wish = Wish(capacities: [:], others: othersRoom, open: [:])
    // Probes beside hanging attempts leave half of the capacity to unknown origins.
    var further = min((wish.others + 1) / 2, max(0, mostFurther - probing - hanging))
    let share = max(1, mostWaiting / max(1, responding))
    // With enough probes for all origins, their order does not matter.
    let isScarce = wish.others < origins.count
    for (name, state) in isScarce ? origins.sorted(by: { $0.key < $1.key }) : Array(origins) {
      if state.isResting, state.account != .none {
        wish.capacities[name] = 0
        continue
      }
      switch state.account {
      case .none:
        wish.capacities[name] = 0
        if state.isRecorded { wish.open[name] = state.epoch }
      case .probing:
        let isFurther = state.inFlight > 0
        let mayBegin = state.waiting == 0 && state.mayBegin(limits) && wish.others > 0
        let hasRoom = mayBegin && !(isFurther && further == 0)
        wish.capacities[name] = hasRoom ? min(state.probesAhead, mostWaiting) : 0
        // A dry origin probably has no rows, so it takes no capacity from other origins.
        guard hasRoom, !state.isDry else { continue }
        wish.others -= 1
        if isFurther { further -= 1 }
      case .regular:
        let ahead = state.isSlow ? 1 : min(4 * min(state.window, state.most(limits)), share)
        wish.capacities[name] = max(0, ahead - state.waiting)
      }
    }
    return wish
  }

  /// Takes the result of a claim.
  /// - Parameter held: The origins that are held, according to the store. If an open origin is not among
  ///   them, another process has released it.
  /// - Returns: True if a released origin may be probed now.
  mutating func claimed(_ counts: [String: Int], of wish: Wish, held: Set<String>) -> Bool {
    var isReleased = false
    for (name, capacity) in wish.capacities
    where capacity > 0 && origins[name] != nil && !recordedSince.contains(name) {
      let isDry = counts[name, default: 0] < capacity
      if origins[name]?.isDry != isDry { change(name) { $0.isDry = isDry } }
    }
    for (name, epoch) in wish.open where !held.contains(name) && origins[name]?.epoch == epoch {
      change(name) { $0.release() }
      isReleased = true
    }
    for (name, count) in counts { wait(name, by: count) }
    return isReleased
  }
}
