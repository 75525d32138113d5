/// Receives the events of each call of a client (`ClientConfiguration.listeners`).
///
/// The events of one call come in order, one at a time, on any thread that works for the call. Events of
/// different calls come concurrently. No lock is held, so a listener may do anything, including cancelling
/// the call. But the call, and others, wait for the listener: one that blocks or takes long slows the client
/// down. No event shows a secret.
///
/// Implement `record(_:)` to receive all events, or the methods for some of them. The default implementations
/// of these do nothing.
public protocol EventListener: Sendable {
  /// The maximum number of bytes of each body that the listener reads (`EventResponse.body(upTo:)`). That
  /// part of each stream and file is held in memory. Default: 0.
  var bodyLimit: Int { get }

  /// Receives every event. Default: calls the method below that belongs to the event.
  func record(_ event: CallEvent)

  /// The call was made.
  func callStarted(_ event: CallEvent)
  /// The call shares the response of the call with the number `other`, or 0 if that call has ended already.
  func callCoalesced(_ event: CallEvent, with other: UInt64)
  /// The call began to wait.
  func callWaits(_ event: CallEvent, for wait: EventWait)
  /// The call ended a wait.
  func callWaited(_ event: CallEvent, for wait: EventWait)
  /// The response cache was looked up.
  func cacheDecided(_ event: CallEvent, _ decision: CacheDecision)
  /// A request is about to be sent: that of an attempt, or that of a redirect.
  func attemptStarted(_ event: CallEvent, _ request: EventRequest)
  /// The host's name was resolved.
  func hostResolved(_ event: CallEvent, in time: Duration)
  /// A connection was made. `time` counts from the end of the look-up.
  func connected(_ event: CallEvent, in time: Duration)
  /// The TLS handshake was completed. `time` counts from the connection on.
  func connectionSecured(_ event: CallEvent, in time: Duration)
  /// An existing connection is reused.
  func connectionReused(_ event: CallEvent)
  /// The connection leads to this IP address, without a port.
  func addressReached(_ event: CallEvent, _ address: String)
  /// The header fields of the request were written to the connection.
  func fieldsSent(_ event: CallEvent)
  /// The complete body of the request was written to the connection.
  func bodySent(_ event: CallEvent, bytes: Int64)
  /// The request is sent again within its attempt, because its connection had ended or the server refused it
  /// unprocessed.
  func requestResent(_ event: CallEvent)
  /// The first byte of the response has arrived.
  func firstByteReceived(_ event: CallEvent)
  /// The head of the response has arrived, and its body, unless that is a stream.
  func responded(_ event: CallEvent, _ response: EventResponse)
  /// The response redirects to this request.
  func redirected(_ event: CallEvent, to request: EventRequest)
  /// The response has passed the request's checks.
  func responseValidated(_ event: CallEvent)
  /// An attempt has failed.
  func attemptFailed(_ event: CallEvent, _ failure: EventFailure)
  /// Another attempt follows after `wait`.
  func callRetries(_ event: CallEvent, after wait: Duration, because failure: EventFailure)
  /// The call has ended with a response. For a stream, this is called at its last byte.
  func callFinished(_ event: CallEvent, _ response: EventResponse)
  /// The call has failed.
  func callFailed(_ event: CallEvent, _ failure: EventFailure)
  /// The call was cancelled.
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
