import Synchronization

/// Delivers one call's events to the client's listeners: in order, one at a time, without holding a lock.
///
/// Most events come from the call's task, one after the other. Some come from a transport's thread, or from
/// interceptors that continue after their call. An event that comes during a delivery is queued, and
/// delivered by the same thread. Events after the call's end are dropped.
final class CallEvents: Sendable {
  /// The attempt that an event belongs to, and the number of redirects that the attempt has followed.
  struct Place: Sendable, Hashable {
    let attempt: UInt32
    let redirects: UInt32

    init(attempt: Int, redirects: Int) {
      self.attempt = UInt32(clamping: attempt)
      self.redirects = UInt32(clamping: redirects)
    }

    fileprivate init(_ bits: UInt64) {
      attempt = UInt32(truncatingIfNeeded: bits >> 32)
      redirects = UInt32(truncatingIfNeeded: bits)
    }

    fileprivate var bits: UInt64 { UInt64(attempt) << 32 | UInt64(redirects) }
  }

  private struct Queued: Sendable {
    let event: CallEvent
    let isOfTransport: Bool
  }

  private enum Phase {
    static let idle: UInt8 = 0
    /// A thread is delivering an event.
    static let telling: UInt8 = 1
    /// A thread is delivering an event, and others are queued.
    static let queueing: UInt8 = 2
    static let ended: UInt8 = 3
  }

  let id: UInt64
  let request: Request
  let scope: ScopeName?
  let purpose: CallPurpose
  /// Nil if the call is not traced.
  let trace: CallTrace?
  let client: EventSource
  /// The beginning of a body that is streamed or written to a file.
  let captured = Locked(CapturedBody())
  private let phase = Atomic<UInt8>(Phase.idle)
  private let queue = Locked<[Queued]>([])
  /// True if the call that this one shares was made for it.
  let beganSharing = Atomic(false)
  /// True if listeners do not see the `Location` of the call's responses.
  private let hidesLocation = Atomic(false)
  /// The attempt that began last.
  private let last = Atomic<UInt64>(0)
  /// The attempt that failed last.
  private let failed = Atomic<UInt64>(0)
  /// The head that arrived last, with its attempt. A failure of the attempt may come before its response is reported.
  private let arrived = Locked<(place: UInt64, head: ResponseHead)?>(nil)

  init(
    id: UInt64, _ request: Request, scope: ScopeName?, purpose: CallPurpose, trace: CallTrace?,
    _ client: EventSource
  ) {
    self.trace = trace
    self.id = id
    self.request = request
    self.scope = scope
    self.purpose = purpose
    self.client = client
  }

  private var place: Place { Place(last.load(ordering: .relaxed)) }

  /// Hides the `Location` of the call's responses from listeners. That of an upload is as good as a password.
  func hideLocation() { hidesLocation.store(true, ordering: .relaxed) }

  // MARK: Events

  @inline(never)
  func tell(_ kind: consuming CallEvent.Kind) { tell(kind, place, isOfTransport: false) }

  /// - Parameter place: The place of the attempt that the transport works for.
  func transportTells(_ kind: CallEvent.Kind, _ place: Place) { tell(kind, place, isOfTransport: true) }

  @inline(never)
  func attemptStarted(_ request: Request, attempt: Int, redirects: Int) {
    let place = Place(attempt: attempt, redirects: redirects)
    last.store(place.bits, ordering: .relaxed)
    tell(.attemptStarted(EventRequest(request, client)), place, isOfTransport: false)
  }

  @inline(never)
  func responded(_ response: Response, bodyLength: Int64?, attempt: Int, redirects: Int) {
    tell(
      .responded(EventResponse(.received(shown(response), bodyLength: bodyLength), self)),
      Place(attempt: attempt, redirects: redirects), isOfTransport: false)
  }

  @inline(never)
  func interim(_ head: ResponseHead, _ place: Place) {
    tell(.interim(EventInterimResponse(shown(head), client)), place, isOfTransport: true)
  }

  @inline(never)
  func redirected(to request: Request) { tell(.redirected(EventRequest(request, client))) }

  @inline(never)
  func validated() { tell(.validated) }

  /// Reports that the last attempt has failed, if one has begun.
  @inline(never)
  func attemptFailed(_ error: any Error) {
    let place = place
    guard place.attempt > 0, failed.exchange(place.bits, ordering: .relaxed) != place.bits else { return }
    let head = arrived.withLock { $0?.place == place.bits ? $0?.head : nil }
    tell(
      .attemptFailed(EventFailure(shown(error), client, head: head.map(shown))), place, isOfTransport: false)
  }

  /// Takes the head of the present attempt's response, before its body has arrived.
  @inline(never)
  func arrived(_ head: ResponseHead) {
    let place = place.bits
    arrived.withLock { $0 = (place, head) }
  }

  @inline(never)
  func retrying(after wait: Duration, because error: any Error) {
    tell(.retrying(after: wait, because: EventFailure(shown(error), client)))
    tell(.waiting(.backoff(wait)))
  }

  /// Reports that the second attempt has won. The cancellation of the present attempt is not a failure.
  func overtaken(by other: UInt64) {
    let place = place
    failed.store(place.bits, ordering: .relaxed)
    tell(.overtaken(by: other), place, isOfTransport: false)
  }

  /// Reports that the call waits for the response of another call, which it shares.
  /// - Parameter isFirst: True if the other call is made for this one.
  func shares(_ other: UInt64, isFirst: Bool) {
    if isFirst { beganSharing.store(true, ordering: .relaxed) }
    tell(.coalesced(with: other))
    tell(.waiting(.sharedResponse(other)))
  }

  @inline(never)
  func finished(_ response: Response) { tell(.finished(EventResponse(.delivered(shown(response)), self))) }

  @inline(never)
  func failed(_ error: any Error) {
    if let reason = (error as? RequestError)?.cancellation {
      tell(.cancelled(reason))
    } else {
      tell(.failed(EventFailure(shown(error), client)))
    }
  }

  // MARK: Hiding

  private func shown(_ response: Response) -> Response {
    guard hidesLocation.load(ordering: .relaxed) else { return response }
    return response.ofCall(to: response.url, hiding: Self.isLocation)
  }

  private func shown(_ head: ResponseHead) -> ResponseHead {
    guard hidesLocation.load(ordering: .relaxed) else { return head }
    return ResponseHead(status: head.status, fields: head.fields.hiding(where: Self.isLocation))
  }

  private func shown(_ error: any Error) -> any Error {
    guard hidesLocation.load(ordering: .relaxed), var known = error as? RequestError else { return error }
    known.fields = known.fields?.hiding(where: Self.isLocation)
    return known
  }

  private static func isLocation(_ field: HTTPFields.Field) -> Bool {
    ASCII.equalIgnoringCase(field.name, "Location")
  }

  // MARK: Delivery

  // Each event is made once and passed on without a copy, because counting references is most of its cost.
  private func tell(_ kind: consuming CallEvent.Kind, _ place: Place, isOfTransport: Bool) {
    tell(
      CallEvent(
        kind: kind, attempt: Int(place.attempt), redirects: Int(place.redirects), events: self,
        time: client.timeline.now()),
      isOfTransport: isOfTransport)
  }

  private func tell(_ event: borrowing CallEvent, isOfTransport: Bool) {
    let isMine = phase.compareExchange(
      expected: Phase.idle, desired: Phase.telling, ordering: .acquiring
    ).exchanged
    guard isMine else { return tellLater(copy event, isOfTransport: isOfTransport) }
    deliver(event, isOfTransport: isOfTransport)
    let isEnd = event.isEnd
    guard
      isEnd
        || !phase.compareExchange(expected: Phase.telling, desired: Phase.idle, ordering: .releasing)
          .exchanged
    else { return }
    finishTelling(isEnd)
  }

  /// Queues an event for the thread that is delivering another. Delivers it here if that thread has finished.
  @inline(never)
  private func tellLater(_ event: CallEvent, isOfTransport: Bool) {
    let found = queue.withLock { queue in
      let (isQueueing, found) = phase.compareExchange(
        expected: Phase.telling, desired: Phase.queueing, ordering: .relaxed)
      guard isQueueing || found == Phase.queueing else { return found }
      queue.append(Queued(event: event, isOfTransport: isOfTransport))
      return Phase.queueing
    }
    if found == Phase.idle { tell(event, isOfTransport: isOfTransport) }
  }

  /// Delivers the queued events, or closes the queue after the last event.
  @inline(never)
  private func finishTelling(_ isEnd: Bool) {
    var isEnd = isEnd
    while !isEnd {
      let batch = queue.withLock { queue in
        defer { queue = [] }
        phase.store(Phase.telling, ordering: .relaxed)
        return queue
      }
      for queued in batch where !isEnd {
        deliver(queued.event, isOfTransport: queued.isOfTransport)
        isEnd = queued.event.isEnd
      }
      if !isEnd,
        phase.compareExchange(expected: Phase.telling, desired: Phase.idle, ordering: .releasing).exchanged
      {
        return
      }
    }
    queue.withLock { queue in
      phase.store(Phase.ended, ordering: .releasing)
      queue = []
    }
  }

  private func deliver(_ event: borrowing CallEvent, isOfTransport: Bool) {
    if isOfTransport {
      // A transport's thread may still report on an attempt that has failed.
      let place = Place(attempt: event.attempt, redirects: event.redirects)
      if failed.load(ordering: .relaxed) == place.bits { return }
    }
    HeldLocks.assertNone()
    client.tell(event)
  }
}
