/// Is told what happens to each call of a client (`ClientConfiguration.listeners`).
///
/// The events of one call come in order, one at a time, on whatever thread is at work for it; those of different
/// calls come at the same time. No lock is held, so a listener may do anything, also cancel the call; but the call
/// waits for it, and so do others: a listener that takes long, or blocks, slows the client down. No event shows a
/// secret.
///
/// Implement `record(_:)` for all events, or the methods for those that are wanted. Each has an implementation
/// that does nothing.
public protocol EventListener: Sendable {
  /// The most bytes of each body that the listener wants to read (`EventResponse.body(upTo:)`). Default: 0. The
  /// beginnings of streams and files are held in memory for it.
  var bodyLimit: Int { get }

  /// Receives every event. Default: calls the method below that is for it.
  func record(_ event: CallEvent)

  func callStarted(_ event: CallEvent)
  func callCoalesced(_ event: CallEvent, with other: UInt64)
  func callWaits(_ event: CallEvent, for wait: EventWait)
  func callWaited(_ event: CallEvent, for wait: EventWait)
  func cacheDecided(_ event: CallEvent, _ decision: CacheDecision)
  func attemptStarted(_ event: CallEvent, _ request: EventRequest)
  func hostResolved(_ event: CallEvent, in time: Duration)
  func connected(_ event: CallEvent, in time: Duration)
  func connectionSecured(_ event: CallEvent, in time: Duration)
  func connectionReused(_ event: CallEvent)
  func addressReached(_ event: CallEvent, _ address: String)
  func fieldsSent(_ event: CallEvent)
  func bodySent(_ event: CallEvent, bytes: Int64)
  func requestResent(_ event: CallEvent)
  func firstByteReceived(_ event: CallEvent)
  func responded(_ event: CallEvent, _ response: EventResponse)
  func redirected(_ event: CallEvent, to request: EventRequest)
  func responseValidated(_ event: CallEvent)
  func attemptFailed(_ event: CallEvent, _ failure: EventFailure)
  func callRetries(_ event: CallEvent, after wait: Duration, because failure: EventFailure)
  func callFinished(_ event: CallEvent, _ response: EventResponse)
  func callFailed(_ event: CallEvent, _ failure: EventFailure)
  func callCancelled(_ event: CallEvent, _ reason: CancellationReason)
}

extension EventListener {
  public var bodyLimit: Int { 0 }

  public func record(_ event: CallEvent) {
    switch event.kind {
    case .started: callStarted(event)
    case .coalesced(let other): callCoalesced(event, with: other)
    case .waiting(let wait): callWaits(event, for: wait)
    case .waited(let wait): callWaited(event, for: wait)
    case .cacheDecided(let decision): cacheDecided(event, decision)
    case .attemptStarted(let request): attemptStarted(event, request)
    case .resolved(let time): hostResolved(event, in: time)
    case .connected(let time): connected(event, in: time)
    case .secured(let time): connectionSecured(event, in: time)
    case .connectionReused: connectionReused(event)
    case .reached(let address): addressReached(event, address)
    case .fieldsSent: fieldsSent(event)
    case .bodySent(let bytes): bodySent(event, bytes: bytes)
    case .resent: requestResent(event)
    case .firstByte: firstByteReceived(event)
    case .responded(let response): responded(event, response)
    case .redirected(let request): redirected(event, to: request)
    case .validated: responseValidated(event)
    case .attemptFailed(let failure): attemptFailed(event, failure)
    case .retrying(let wait, let failure): callRetries(event, after: wait, because: failure)
    case .finished(let response): callFinished(event, response)
    case .failed(let failure): callFailed(event, failure)
    case .cancelled(let reason): callCancelled(event, reason)
    }
  }

  public func callStarted(_ event: CallEvent) {}
  public func callCoalesced(_ event: CallEvent, with other: UInt64) {}
  public func callWaits(_ event: CallEvent, for wait: EventWait) {}
  public func callWaited(_ event: CallEvent, for wait: EventWait) {}
  public func cacheDecided(_ event: CallEvent, _ decision: CacheDecision) {}
  public func attemptStarted(_ event: CallEvent, _ request: EventRequest) {}
  public func hostResolved(_ event: CallEvent, in time: Duration) {}
  public func connected(_ event: CallEvent, in time: Duration) {}
  public func connectionSecured(_ event: CallEvent, in time: Duration) {}
  public func connectionReused(_ event: CallEvent) {}
  public func addressReached(_ event: CallEvent, _ address: String) {}
  public func fieldsSent(_ event: CallEvent) {}
  public func bodySent(_ event: CallEvent, bytes: Int64) {}
  public func requestResent(_ event: CallEvent) {}
  public func firstByteReceived(_ event: CallEvent) {}
  public func responded(_ event: CallEvent, _ response: EventResponse) {}
  public func redirected(_ event: CallEvent, to request: EventRequest) {}
  public func responseValidated(_ event: CallEvent) {}
  public func attemptFailed(_ event: CallEvent, _ failure: EventFailure) {}
  public func callRetries(_ event: CallEvent, after wait: Duration, because failure: EventFailure) {}
  public func callFinished(_ event: CallEvent, _ response: EventResponse) {}
  public func callFailed(_ event: CallEvent, _ failure: EventFailure) {}
  public func callCancelled(_ event: CallEvent, _ reason: CancellationReason) {}
}
