import ErrandCore
import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The inspector's record of one call. Pure: it is computed from the call's events.
struct CallRecord: Sendable {
  enum State: String, Encodable, Sendable {
    case running, waiting, finished, failed, cancelled
  }

  /// One request of an attempt, and its response.
  struct Exchange: Sendable {
    let attempt: Int
    let redirects: Int
    var request: EventRequest
    var response: HeldHead?
    /// The body of a response that the call did not end with, because it was rejected or redirected.
    var body: HeldBody?
    var failure: String?
    var retry: String?
    var step: HARStep
    var version: HTTPVersion?

    var heldBytes: Int { request.heldBytes + (response?.heldBytes ?? 0) + (body?.count ?? 0) }
  }

  /// The greatest number of kept requests of one call. Older ones are dropped.
  private static let mostExchanges = 100

  let id: UInt64
  let date: Date
  /// The request, including its body while the whole body is kept.
  private(set) var request: EventRequest
  /// True if the request can be sent again, because its whole body is kept.
  private(set) var canResend: Bool
  let scopes: [String]
  let purpose: CallPurpose
  private(set) var timeline: CallTimeline
  private(set) var state = State.running
  private(set) var outcome = ""
  private(set) var waitsFor: String?
  private(set) var status: Int?
  /// The number of requests that were sent, without those after redirects.
  private(set) var attempts = 0
  private(set) var shares: UInt64?
  private(set) var cache: String?
  private(set) var isCached = false
  private(set) var exchanges: [Exchange] = []
  /// The head of the response of another call, which this call shares.
  private(set) var sharedResponse: HeldHead?
  /// The value of the response's `Content-Type`.
  private(set) var type: String?
  private(set) var sent: HeldBody?
  private(set) var received: HeldBody?
  private(set) var bytes: Int64 = 0
  private(set) var end: Duration?
  /// The response of the last request, until it is known whether the call ends with it.
  private var unread: EventResponse?
  /// The size in bytes of the kept URLs and header fields, and of the bodies of rejected responses.
  private var headBytes = 0
  /// The time at which the current attempt began to wait.
  private var waitsSince: HARStep.Moment
  /// The store's counter at the last growth of the record.
  var stamp = 0

  init(_ event: CallEvent, bodyLimit: Int) {
    (id, date, scopes, purpose) = (event.call, event.date, event.scopes, event.purpose)
    timeline = CallTimeline(began: event.time)
    waitsSince = HARStep.Moment(event)
    let sent = event.request.heldBody(upTo: bodyLimit)
    canResend = !event.request.hasBody || sent?.isWhole == true
    request = canResend ? event.request : event.request.withoutBody
    self.sent = sent
    headBytes = request.heldBytes
  }

  /// The size in bytes of the call's kept bodies, URLs and header fields.
  var heldBytes: Int { (sent?.count ?? 0) * 2 + (received?.count ?? 0) + headBytes }

  /// Deletes the bodies and the header fields, and shortens long URLs.
  mutating func dropContents() {
    (canResend, request) = (false, request.trimmed)
    (sent, received, headBytes) = (nil, nil, 0)
    sharedResponse = sharedResponse?.trimmed
    for index in exchanges.indices {
      exchanges[index].body = nil
      exchanges[index].request = exchanges[index].request.trimmed
      exchanges[index].response = exchanges[index].response?.trimmed
    }
  }

  mutating func take(_ event: CallEvent, bodyLimit: Int) {
    timeline.take(event)
    if !exchanges.isEmpty { exchanges[exchanges.count - 1].step.take(event) }
    switch event.kind {
    case .waited(.backoff): (state, waitsFor, waitsSince) = (.running, nil, HARStep.Moment(event))
    case .redirected:
      waitsSince = HARStep.Moment(event)
      keepBody(bodyLimit)
    case .waiting(let wait): (state, waitsFor) = (.waiting, "\(wait)")
    case .waited: (state, waitsFor) = (.running, nil)
    case .coalesced(let other): shares = other
    case .cacheDecided(let decision): cache = "\(decision)"
    case .attemptStarted(let request):
      attempts = max(attempts, event.attempt)
      append(
        Exchange(
          attempt: event.attempt, redirects: event.redirects, request: request.withoutBody,
          step: HARStep(event, since: waitsSince)))
    // The number of the next attempt includes it.
    case .resent: attempts += 1
    case .responded(let response):
      status = response.status.code
      let head = response.heldHead
      headBytes += head.heldBytes
      (type, unread) = (head.fields["Content-Type"], response)
      change { ($0.response, $0.version) = (head, response.httpVersion) }
    case .attemptFailed(let failure):
      change { $0.failure = failure.message }
      keepBody(bodyLimit)
    case .overtaken: change { $0.failure = "cancelled: \(CancellationReason.overtaken)" }
    case .retrying(let wait, let failure):
      change { $0.retry = "after \(wait.shownShort): \(failure.message)" }
      keepBody(bodyLimit)
    case .finished(let response): finish(event, response, bodyLimit)
    case .failed(let failure):
      keepBody(bodyLimit)
      end(.failed, failure.message, at: event.time)
    case .cancelled(let reason):
      keepBody(bodyLimit)
      end(.cancelled, "\(reason)", at: event.time)
    default: break
    }
  }

  private mutating func finish(_ event: CallEvent, _ response: EventResponse, _ bodyLimit: Int) {
    status = response.status.code
    received = response.heldBody(upTo: bodyLimit)
    // A shared response may have come from the cache, but it did so for another call.
    isCached = response.isCached && shares == nil
    unread = nil
    type = response.fields["Content-Type"]
    change { if $0.response != nil { $0.version = $0.version ?? response.httpVersion } }
    bytes = response.bytesReceived ?? response.bodyLength ?? 0
    if shares != nil {
      sharedResponse = response.heldHead
      headBytes += response.heldHead.heldBytes
    } else if exchanges.isEmpty {
      append(
        Exchange(
          attempt: 0, redirects: 0, request: request, response: response.heldHead,
          step: HARStep(cached: event, since: waitsSince)))
    }
    end(
      .finished, "\(response.status)\(shares != nil ? " (shared)" : isCached ? " (cached)" : "")",
      at: event.time)
  }

  /// Keeps the body of the last response, with which the call does not end.
  private mutating func keepBody(_ limit: Int) {
    guard let body = unread?.heldBody(upTo: limit), body.count > 0, exchanges.last?.body == nil else {
      return
    }
    unread = nil
    headBytes += body.count
    bytes = Int64(body.count)
    change { $0.body = body }
  }

  private mutating func append(_ exchange: Exchange) {
    if exchanges.count == Self.mostExchanges {
      headBytes = max(0, headBytes - exchanges.removeFirst().heldBytes)
    }
    headBytes += exchange.heldBytes
    exchanges.append(exchange)
  }

  private mutating func end(_ state: State, _ outcome: String, at time: Duration) {
    (self.state, self.outcome, end, waitsFor) = (state, outcome, time, nil)
  }

  private mutating func change(_ change: (inout Exchange) -> Void) {
    guard !exchanges.isEmpty else { return }
    change(&exchanges[exchanges.count - 1])
  }
}
