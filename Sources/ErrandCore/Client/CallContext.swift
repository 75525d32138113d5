import Synchronization

/// The state of one call, from its beginning to its end.
final class CallContext: Sendable {
  private struct Shown {
    let activity: RequestActivity
    let token: ActivityToken
    let listener: ProgressHub.ListenerID?
  }

  private struct State {
    var place: InFlight.Place?
    var membership: ScopeMembership?
    // Boxed, because most calls have no such state, and `State` is copied at a call's end.
    private(set) var boxed: Boxed<Rest>?
    var hasEnded: Bool

    init(hasEnded: Bool = false) { self.hasEnded = hasEnded }

    var rest: Rest {
      get { boxed?.value ?? Rest() }
      set { boxed = Boxed(newValue) }
    }
  }

  /// The state that only few calls have until their end.
  private struct Rest {
    var deadline: Deadlines.Place?
    var shown: Shown?
    var slot: SlotLease?
    var pins: FilePins?
    var atEnd: [@Sendable () -> Void] = []
  }

  /// The parts of a call.
  struct Parts: Sendable {
    var cancellation = CancellationToken()
    var destination: Destination
    /// Performs this call's attempts instead of the client's transport; nil for the client's.
    var transport: (any Transport)?
    /// Nil if the progress is not observed.
    var progress: ProgressHub?
    var effectivePriority: EffectivePriority
    /// The time at which the call began, on the client's timeline.
    var started: Duration
    /// The time that the call may take, counted from `started`.
    var deadline: Duration?
    /// Limits how long interceptors may hold a shared request that other callers have joined.
    var watch: HoldWatch?
    /// Reports the call's events to listeners; nil without listeners.
    var events: CallEvents?
    /// True for a request that several callers share. Each of them validates the response.
    var isShared = false
  }

  private let parts: Parts
  var cancellation: CancellationToken { parts.cancellation }
  var destination: Destination { parts.destination }
  var transport: (any Transport)? { parts.transport }
  var progress: ProgressHub? { parts.progress }
  var effectivePriority: EffectivePriority { parts.effectivePriority }
  var started: Duration { parts.started }
  var deadline: Duration? { parts.deadline }
  var watch: HoldWatch? { parts.watch }
  var events: CallEvents? { parts.events }
  var isShared: Bool { parts.isShared }
  private let state = Locked(State())
  private let sentAs: Locked<CallIdentity?>
  private let sentCount = Atomic(0)
  private let usedCount = Atomic(0)
  private let signedAgain = Atomic(false)

  /// The number of times that the request was sent, or was about to be. An interceptor may send it several
  /// times in one attempt.
  var sent: Int { sentCount.load(ordering: .relaxed) }
  /// The number of attempts begun, which the retry policy limits.
  var used: Int { usedCount.load(ordering: .relaxed) }

  func countSent() { sentCount.add(1, ordering: .relaxed) }
  func countSent(_ count: Int) { sentCount.add(count, ordering: .relaxed) }
  func countUsed() { usedCount.add(1, ordering: .relaxed) }

  /// True once the call has been signed again because its signature was refused.
  var hasSignedAgain: Bool { signedAgain.load(ordering: .relaxed) }
  /// Records that the call is signed again, which is allowed once. Returns false if that has happened before.
  func signAgain() -> Bool { !signedAgain.exchange(true, ordering: .relaxed) }

  /// - Parameter identity: The identity that the call is made for; nil if it is determined later.
  init(_ parts: Parts, sentAs identity: CallIdentity? = nil) {
    self.parts = parts
    sentAs = Locked(identity)
  }

  /// Returns a context for work on behalf of this call. It has the same identity and the same parts, except
  /// those that `change` changes. It is not registered yet, and has sent nothing.
  func forked(_ change: (inout Parts) -> Void) -> CallContext {
    var parts = parts
    change(&parts)
    return CallContext(parts, sentAs: knownIdentity)
  }

  /// Returns a context for one of two attempts that are made at the same time. Unlike that of other work, it has the
  /// same number of attempts, and the same versions of the body's files.
  /// - Parameter sent: The number of sent requests that it begins with.
  func racing(sent: Int, _ change: (inout Parts) -> Void) -> CallContext {
    let racing = forked(change)
    racing.usedCount.store(used, ordering: .relaxed)
    racing.sentCount.store(sent, ordering: .relaxed)
    racing.signedAgain.store(hasSignedAgain, ordering: .relaxed)
    let pins = pins
    racing.state.withLock { $0.rest.pins = pins }
    return racing
  }

  /// Takes over from one of two attempts what outlasts it: whether it was sent and signed again, and the slot of a stream
  /// that still passes through interceptors.
  func takeOver(from racing: CallContext) {
    if racing.cancellation.mayHaveSent { cancellation.markSent() }
    if racing.hasSignedAgain { _ = signAgain() }
    let slot = racing.state.withLock { state in
      guard let slot = state.boxed?.value.slot else { return SlotLease?.none }
      state.rest.slot = nil
      return slot
    }
    if let slot { hold(slot) }
  }

  /// The identity that the call is made for; nil if it has not been determined yet.
  var knownIdentity: CallIdentity? { sentAs.withLock { $0 } }

  /// Returns the identity that the call is made for. The first time it is that of `present`; later it is the
  /// same.
  func identity(_ present: () -> CallIdentity) -> CallIdentity {
    if let knownIdentity { return knownIdentity }
    let present = present()
    return sentAs.withLock { known in
      let identity = known ?? present
      known = identity
      return identity
    }
  }

  /// - Throws: `RequestError` (`unsupported`), unless the response's body is held in memory.
  func requireMemory(for use: StaticString) throws(RequestError) {
    if case .memory = destination { return }
    throw RequestError(
      .unsupported, message: "only a response in memory can be \(use); use send or start",
      reachedServer: false)
  }

  /// Registers the call with the calls in flight.
  /// - Parameter isPart: True if the call does work for another call that is in flight.
  /// - Throws: `RequestError` (`cancelled`), if the client has been shut down.
  func enter(_ inFlight: InFlight, asPart isPart: Bool = false) throws(RequestError) {
    let place = try inFlight.add(cancellation, asPart: isPart)
    state.withLock { $0.place = place }
  }

  /// Adds the call to a scope.
  /// - Throws: `RequestError` (`cancelled`), if the scope has ended.
  func enter(_ scope: RequestScope) throws(RequestError) {
    let membership = try scope.enter(cancellation, effectivePriority)
    state.withLock { $0.membership = membership }
  }

  /// Registers the call with the calls in flight, and in the scope of another call.
  func enter(_ inFlight: InFlight, beside context: CallContext) throws(RequestError) {
    try enter(inFlight)
    guard let other = context.state.withLock({ $0.membership }) else { return }
    let membership = try other.enter(cancellation, effectivePriority)
    state.withLock { $0.membership = membership }
  }

  /// Shows the call in an activity until it ends.
  func show(_ use: ActivityUse) {
    let activity = use.activity
    let token = activity.begin(text: use.text, blocksInput: use.blocksInput)
    let listener = progress?.listen { activity.progress(token, $0) }
    let isLate = state.withLock { state in
      if !state.hasEnded { state.rest.shown = Shown(activity: activity, token: token, listener: listener) }
      return state.hasEnded
    }
    if isLate { activity.end(token) }
  }

  /// Cancels the call at its deadline, unless it has ended before. The longest duration is none.
  func keepDeadline(in deadlines: Deadlines) {
    guard let deadline, deadline < .longest else { return }
    let place = deadlines.add(cancellation, deadline, from: started)
    let isLate = state.withLock { state in
      if !state.hasEnded { state.rest.deadline = place }
      return state.hasEnded
    }
    if isLate { place.leave() }
  }

  /// The state of the body's files when the call first read them. All attempts share it.
  var pins: FilePins {
    state.withLock { state in
      let pins = state.rest.pins ?? FilePins()
      state.rest.pins = pins
      return pins
    }
  }

  /// Runs `work` when the call has ended, or at once if it has ended already.
  func atEnd(_ work: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.rest.atEnd.append(work) }
      return state.hasEnded
    }
    if isLate { work() }
  }

  /// Stores the slot of a stream that passes through interceptors.
  func hold(_ slot: SlotLease) { state.withLock { $0.rest.slot = slot } }

  /// Releases the slot of an earlier stream, because an interceptor that sends again while it holds a stream
  /// must not wait for that stream's slot.
  func giveUpSlot() { state.withLock { $0.rest.slot }?.giveUp() }

  /// Ends the call when the last byte of `stream` has arrived. An interceptor may have replaced the
  /// transfer's stream, so `stream` may be another one.
  func end(with stream: ByteStream, _ response: Response) {
    state.withLock { $0.rest.slot }?.handOver()
    _ = cancellation.onCancel(stopping: stream.cancellation)
    guard let events else { return stream.onEnd { self.end() } }
    stream.onEnd { [cancellation, stream = stream.observed, response = response.observed] in
      self.end()
      if let error = cancellation.failure ?? stream.failure {
        events.failed(error)
      } else {
        events.finished(response)
      }
    }
  }

  /// Ends the call and releases everything it holds. Further calls do nothing.
  func end() {
    let last: State? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      var last = State(hasEnded: true)
      swap(&last, &state)
      return last
    }
    guard let last else { return }
    last.membership?.leave()
    if let rest = last.boxed { end(rest) }
    last.place?.leave()
  }

  private func end(_ rest: Boxed<Rest>) {
    let rest = rest.value
    rest.deadline?.leave()
    if let shown = rest.shown {
      // The program may hold a call, and its progress, for long after its end.
      if let listener = shown.listener { progress?.stopListening(listener) }
      shown.activity.end(shown.token)
    }
    for work in rest.atEnd { work() }
  }
}

/// The destination of a response's body, in which `send`, `download` and `stream` differ.
enum Destination: Sendable {
  case memory
  case file(Download)
  case stream

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// True if a 304 is accepted, because the file has the version that the request asked about.
  var isConditional: Bool {
    if case .file(let download) = self { download.isConditional } else { false }
  }
}
