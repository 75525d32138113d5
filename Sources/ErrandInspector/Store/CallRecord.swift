import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an inspector knows of one call. Pure: it is made of the call's events.
struct CallRecord: Sendable {
  enum State: String, Encodable, Sendable {
    case running, waiting, finished, failed, cancelled
  }

  /// One request of an attempt, and its response.
  struct Exchange: Sendable {
    let attempt: Int
    let redirects: Int
    let request: EventRequest
    var response: HeldHead?
    var failure: String?
    var retry: String?
  }

  let id: UInt64
  let date: Date
  /// The request; with its body while that is held whole.
  private(set) var request: EventRequest
  /// True if the request can be sent again: nothing of it is missing.
  private(set) var canResend: Bool
  let scope: String?
  let purpose: CallPurpose
  private(set) var timeline: CallTimeline
  private(set) var state = State.running
  private(set) var outcome = ""
  private(set) var waitsFor: String?
  private(set) var status: Int?
  private(set) var attempts = 0
  private(set) var shares: UInt64?
  private(set) var cache: String?
  private(set) var exchanges: [Exchange] = []
  private(set) var sent: HeldBody?
  private(set) var received: HeldBody?
  private(set) var bytes: Int64 = 0
  private(set) var end: Duration?

  init(_ event: CallEvent, bodyLimit: Int) {
    (id, date, scope, purpose) = (event.call, event.date, event.scope, event.purpose)
    timeline = CallTimeline(began: event.time)
    let sent = event.request.heldBody(upTo: bodyLimit)
    canResend = !event.request.hasBody || sent?.isWhole == true
    request = canResend ? event.request : event.request.withoutBody
    self.sent = sent
  }

  /// The bytes of bodies that are held.
  var heldBytes: Int { (sent?.count ?? 0) * 2 + (received?.count ?? 0) }

  mutating func dropBodies() {
    if request.hasBody { (canResend, request) = (false, request.withoutBody) }
    (sent, received) = (nil, nil)
  }

  mutating func take(_ event: CallEvent, bodyLimit: Int) {
    timeline.take(event)
    switch event.kind {
    case .waiting(let wait): (state, waitsFor) = (.waiting, "\(wait)")
    case .waited: (state, waitsFor) = (.running, nil)
    case .coalesced(let other): shares = other
    case .cacheDecided(let decision): cache = "\(decision)"
    case .attemptStarted(let request):
      attempts = max(attempts, event.attempt)
      exchanges.append(
        Exchange(attempt: event.attempt, redirects: event.redirects, request: request.withoutBody))
    case .responded(let response):
      status = response.status.code
      change { $0.response = response.heldHead }
    case .attemptFailed(let failure): change { $0.failure = failure.message }
    case .retrying(let wait, let failure):
      change { $0.retry = "after \(wait.shownShort): \(failure.message)" }
    case .finished(let response): finish(response, bodyLimit, at: event.time)
    case .failed(let failure): end(.failed, failure.message, at: event.time)
    case .cancelled(let reason): end(.cancelled, "\(reason)", at: event.time)
    default: break
    }
  }

  private mutating func finish(_ response: EventResponse, _ bodyLimit: Int, at time: Duration) {
    status = response.status.code
    received = response.heldBody(upTo: bodyLimit)
    bytes = response.bytesReceived ?? response.bodyLength ?? 0
    if exchanges.isEmpty {
      exchanges.append(
        Exchange(attempt: 0, redirects: 0, request: request, response: response.heldHead))
    }
    end(.finished, "\(response.status)\(response.isCached ? " (cached)" : "")", at: time)
  }

  private mutating func end(_ state: State, _ outcome: String, at time: Duration) {
    (self.state, self.outcome, end, waitsFor) = (state, outcome, time, nil)
  }

  private mutating func change(_ change: (inout Exchange) -> Void) {
    guard !exchanges.isEmpty else { return }
    change(&exchanges[exchanges.count - 1])
  }
}
