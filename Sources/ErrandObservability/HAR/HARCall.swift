import ErrandCore

/// Makes HAR entries from the events of one call. Each entry is made when the attempt has ended. Pure: times
/// come with the events.
struct HARCall: Sendable {
  private struct Attempt: Sendable {
    let request: EventRequest
    var step: HARStep
    var response: EventResponse?
    /// The head of a response whose body failed.
    var head: HeldHead?
  }

  private let started: HARStep.Moment
  private let bodyLimit: Int
  /// The time at which the current attempt began to wait.
  private var waitsSince: HARStep.Moment
  private var attempt: Attempt?
  private var cache: String?
  private var hasEntries = false
  private var isShared = false

  init(_ event: CallEvent, bodyLimit: Int) {
    started = HARStep.Moment(event)
    waitsSince = started
    self.bodyLimit = bodyLimit
  }

  /// Takes an event. Returns the entry that it completes, if any.
  /// - Parameter sharedBy: The numbers of the calls that share the response.
  mutating func take(_ event: CallEvent, sharedBy: [UInt64]) -> HAREntry? {
    attempt?.step.take(event)
    switch event.kind {
    case .waited(.backoff): waitsSince = HARStep.Moment(event)
    case .coalesced: isShared = true
    case .cacheDecided(let decision): cache = "\(decision)"
    case .attemptStarted(let request):
      let entry = close(event, sharedBy)
      attempt = Attempt(request: request, step: HARStep(event, since: waitsSince))
      return entry
    case .responded(let response): attempt?.response = response
    case .attemptFailed(let failure): attempt?.head = failure.heldHead
    // The response is that of the second attempt, which is another call with its own entries.
    case .overtaken: return close(event, sharedBy)
    case .redirected:
      let entry = close(event, sharedBy)
      waitsSince = HARStep.Moment(event)
      return entry
    case .finished(let response): return end(event, response, sharedBy)
    case .failed, .cancelled: return close(event, sharedBy)
    default: break
    }
    return nil
  }

  private mutating func end(
    _ event: CallEvent, _ response: EventResponse, _ sharedBy: [UInt64]
  ) -> HAREntry? {
    if attempt != nil {
      // The length and the body of a stream are known only at its end.
      if attempt?.response?.bodyLength == nil { attempt?.response = response }
      return close(event, sharedBy)
    }
    // A shared response has the entries of the call that sent its request.
    guard !hasEntries, !isShared, response.isCached else { return nil }
    // A response from the cache has no attempt, so one is made here.
    attempt = Attempt(
      request: event.request, step: HARStep(cached: event, since: started), response: response)
    return close(event, sharedBy)
  }

  private mutating func close(_ event: CallEvent, _ sharedBy: [UInt64]) -> HAREntry? {
    guard let attempt else { return nil }
    self.attempt = nil
    hasEntries = true
    let response = attempt.response
    let whole =
      response.map {
        HAREntry.Response(
          status: $0.status, fields: $0.fields, body: $0.body(upTo: bodyLimit), length: $0.bodyLength,
          received: $0.bytesReceived, isCached: $0.isCached)
      }
      ?? attempt.head.map {
        HAREntry.Response(
          status: $0.status, fields: $0.fields, body: nil, length: nil, received: nil, isCached: false)
      }
    return HAREntry(
      attempt.step, attempt.request,
      sent: attempt.request.hasBody
        ? HAREntry.PostData(attempt.request, attempt.request.body(upTo: bodyLimit)) : nil,
      whole, version: response?.httpVersion, isCached: response?.isCached == true,
      HAREntry.Facts(
        attempt.step, call: event.call, purpose: event.purpose, scope: event.scope, cache: cache,
        sharedBy: sharedBy))
  }
}
