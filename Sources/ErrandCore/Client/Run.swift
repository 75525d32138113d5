import Synchronization

/// What belongs to one call, from its beginning to its end.
final class Run: Sendable {
  private struct Shown {
    let activity: Activity
    let token: ActivityToken
    let listener: ProgressHub.ListenerID?
  }

  private struct State {
    var place: InFlight.Place?
    var membership: ScopeMembership?
    var deadline: Task<Void, any Error>?
    var shown: Shown?
    var slot: SlotLease?
    var atEnd: [@Sendable () -> Void] = []
    var hasEnded = false
  }

  let signal: StopSignal
  let destination: Destination
  /// Nil if nobody looks.
  let progress: ProgressHub?
  let urgency: Urgency
  /// When it began, on the client's timeline.
  let started: Duration
  /// How long it may take, from then on.
  let deadline: Duration?
  /// Looks how long interceptors have it, if others wait for it too.
  let watch: HoldWatch?
  private let state = Locked(State())
  private let sentCount = Atomic(0)
  private let usedCount = Atomic(0)

  /// How often it went out, or was about to, whoever wanted that: an interceptor may ask twice in one try.
  var sent: Int { sentCount.load(ordering: .relaxed) }
  /// How many of the tries that its policy allows have begun.
  var used: Int { usedCount.load(ordering: .relaxed) }

  func countSent() { sentCount.add(1, ordering: .relaxed) }
  func countUsed() -> Int { usedCount.add(1, ordering: .relaxed).newValue }

  convenience init(
    destination: Destination, progress: ProgressHub?, urgency: Urgency, started: Duration,
    deadline: Duration?
  ) {
    self.init(
      signal: StopSignal(), urgency: urgency, destination: destination, progress: progress,
      started: started, deadline: deadline)
  }

  init(
    signal: StopSignal, urgency: Urgency, destination: Destination, progress: ProgressHub?,
    started: Duration, deadline: Duration?, watch: HoldWatch? = nil
  ) {
    self.signal = signal
    self.watch = watch
    self.urgency = urgency
    self.destination = destination
    self.progress = progress
    self.started = started
    self.deadline = deadline
  }

  /// Takes its place among the calls in flight.
  /// - Parameter isPart: It does the work of one that is there.
  /// - Throws: The cancelled outcome, if the client has been shut down.
  func enter(_ inFlight: InFlight, asPart isPart: Bool = false) throws(RequestError) {
    let place = try inFlight.add(signal, asPart: isPart)
    state.withLock { $0.place = place }
  }

  /// - Throws: The cancelled outcome, if the scope has ended.
  func enter(_ scope: RequestScope) throws(RequestError) {
    let membership = try scope.enter(signal)
    state.withLock { $0.membership = membership }
  }

  /// Takes its place among the calls in flight, and belongs where another does.
  func enter(_ inFlight: InFlight, beside run: Run) throws(RequestError) {
    try enter(inFlight)
    guard let other = run.state.withLock({ $0.membership }) else { return }
    let membership = try other.enter(signal)
    state.withLock { $0.membership = membership }
  }

  /// Is shown until it ends.
  func show(_ use: ActivityUse) {
    let activity = use.activity
    let token = activity.begin(text: use.text, blocksInput: use.blocksInput)
    let listener = progress?.listen { activity.progress(token, $0) }
    let isLate = state.withLock { state in
      if !state.hasEnded { state.shown = Shown(activity: activity, token: token, listener: listener) }
      return state.hasEnded
    }
    if isLate { activity.end(token) }
  }

  /// Calls it off at its deadline, unless it has ended by then.
  func keepDeadline(on timeline: Timeline) {
    guard let deadline else { return }
    let remaining = deadline - (timeline.now() - started)
    let task = Task { [signal] in
      try await timeline.sleep(remaining)
      signal.stop(.deadlineExceeded(deadline))
    }
    state.withLock { $0.deadline = task }
  }

  /// Does this when nothing of the call is left; at once, if that is so already.
  func atEnd(_ work: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.atEnd.append(work) }
      return state.hasEnded
    }
    if isLate { work() }
  }

  /// Keeps the slot of a stream that goes through interceptors.
  func hold(_ slot: SlotLease) { state.withLock { $0.slot = slot } }

  /// An interceptor asks again while it has a stream: that must not wait for the stream's slot.
  func giveUpSlot() { state.withLock { $0.slot }?.giveUp() }

  /// A stream is over when its last byte is here, whoever it comes from: an interceptor may have let go of one and brought
  /// another.
  func end(with stream: ByteStream) {
    state.withLock { $0.slot }?.handOver()
    _ = signal.onStop(stopping: stream.signal)
    stream.onEnd { self.end() }
  }

  /// Nothing of the call is left. More than once does nothing.
  func end() {
    let last: State? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      defer {
        state = State()
        state.hasEnded = true
      }
      return state
    }
    guard let last else { return }
    last.deadline?.cancel()
    last.membership?.leave()
    if let shown = last.shown {
      // A call may be kept for long after its end, and its progress with it.
      if let listener = shown.listener { progress?.stopListening(listener) }
      shown.activity.end(shown.token)
    }
    for work in last.atEnd { work() }
    last.place?.leave()
  }
}
