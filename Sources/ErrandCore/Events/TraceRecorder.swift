#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts events to spans and measurements.
final class TraceRecorder: EventListener {
  private struct Attempt {
    let name: String
    let context: TraceContext
    let start: Date
    let began: Duration
    let metric: [String: TraceValue]
    var attributes: [String: TraceValue]
    var failure: String?
  }

  private struct Call {
    let start: Date
    var attempt: Attempt?
    /// The number of requests sent.
    var sent = 0
  }

  private let tracing: Tracing
  private let calls = Locked<[UInt64: Call]>([:])

  init(_ tracing: Tracing) { self.tracing = tracing }

  func record(_ event: CallEvent) {
    let id = event.call
    switch event.kind {
    case .started:
      let call = Call(start: event.date)
      calls.withLock { $0[id] = call }
    case .attemptStarted(let request):
      begin(event, request)
    case .redirected: endAttempt(event)
    case .reached(let address): change(id) { $0.attributes["network.peer.address"] = .string(address) }
    case .responded(let response): change(id) { HTTPSpan.add(response, to: &$0.attributes) }
    case .attemptFailed(let failure):
      change(id) { attempt in
        HTTPSpan.add(failure, to: &attempt.attributes)
        attempt.failure = failure.message
      }
      endAttempt(event)
    case .overtaken:
      change(id) { attempt in
        attempt.attributes["error.type"] = "cancelled"
        attempt.failure = "cancelled: \(CancellationReason.overtaken)"
      }
      endAttempt(event)
    case .validated: endAttempt(event)
    case .finished: endCall(event, nil)
    case .failed(let failure): endCall(event, failure.message)
    case .cancelled(let reason): endCall(event, "cancelled: \(reason)")
    default: break
    }
  }

  private func begin(_ event: CallEvent, _ request: EventRequest) {
    guard var spans = event.events.trace?.takeSpans(), let context = spans.popLast() else { return }
    for span in spans { endUnsent(span, event, "nothing was sent") }
    let sent = calls.withLock { calls in
      defer { calls[event.call]?.sent += 1 }
      return calls[event.call]?.sent ?? 0
    }
    let attempt = Attempt(
      name: HTTPSpan.name(request.method), context: context, start: event.date, began: event.time,
      metric: HTTPSpan.metricAttributes(of: request),
      attributes: HTTPSpan.attributes(of: request, resend: sent))
    calls.withLock { $0[event.call]?.attempt = attempt }
  }

  /// Ends the span of a request that was not sent, because a tracer may hold spans until they end.
  private func endUnsent(_ span: TraceContext, _ event: CallEvent, _ failure: String) {
    let (now, request) = (event.date, event.request)
    var attributes = HTTPSpan.attributes(of: request, resend: 0)
    attributes["error.type"] = "cancelled"
    tracing.tracer.end(
      TraceSpan(
        kind: .client, name: HTTPSpan.name(request.method), context: span,
        parent: event.events.trace?.context, links: [], start: now, end: now, attributes: attributes,
        failure: failure))
  }

  private func change(_ id: UInt64, _ change: (inout Attempt) -> Void) {
    calls.withLock { calls in
      guard var attempt = calls[id]?.attempt else { return }
      change(&attempt)
      calls[id]?.attempt = attempt
    }
  }

  private func endAttempt(_ event: CallEvent) {
    let ended = calls.withLock { calls in
      defer { calls[event.call]?.attempt = nil }
      return calls[event.call]?.attempt
    }
    guard let ended else { return }
    var metric = ended.metric
    for name in ["http.response.status_code", "error.type", "network.protocol.version"] {
      metric[name] = ended.attributes[name]
    }
    tracing.tracer.end(
      TraceSpan(
        kind: .client, name: ended.name, context: ended.context,
        parent: event.events.trace?.context, links: [], start: ended.start, end: event.date,
        attributes: ended.attributes,
        failure: ended.failure ?? (ended.attributes["error.type"] == nil ? nil : "")))
    tracing.meter?.record(duration: (event.time - ended.began).seconds, metric)
  }

  private func endCall(_ event: CallEvent, _ failure: String?) {
    // A cancelled attempt has no event for its end.
    if let failure {
      change(event.call) { attempt in
        attempt.failure = failure
        if attempt.attributes["error.type"] == nil { attempt.attributes["error.type"] = "cancelled" }
      }
    }
    endAttempt(event)
    for span in event.events.trace?.takeSpans() ?? [] {
      endUnsent(span, event, failure ?? "nothing was sent")
    }
    guard let call = calls.withLock({ $0.removeValue(forKey: event.call) }), let trace = event.events.trace
    else { return }
    var attributes: [String: TraceValue] = [
      "errand.call": .int(Int(event.call)), "errand.attempts": .int(event.attempt),
    ]
    if let scope = event.scope { attributes["errand.scope"] = .string(scope) }
    tracing.tracer.end(
      TraceSpan(
        kind: .internal, name: TraceRecorder.name(of: event.request), context: trace.context,
        parent: trace.parent, links: trace.link.map { [$0] } ?? [], start: call.start, end: event.date,
        attributes: attributes, failure: failure))
  }

  static func name(of request: EventRequest) -> String { "errand \(HTTPSpan.name(request.method))" }
}
