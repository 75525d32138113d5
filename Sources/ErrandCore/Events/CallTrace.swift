/// The spans of one call that are open.
final class CallTrace: Sendable {
  private struct State: Sendable {
    /// The spans that were begun, and whose requests have not been sent.
    var waiting: [TraceContext] = []
    /// What was put into the last request; nil if nothing was.
    var sent: String?
  }

  /// The span of the call, and what it is a part of.
  let context: TraceContext
  let parent: TraceContext?
  let link: TraceContext?
  private let source: TraceSource
  private let state = Locked(State())

  /// Begins the span of a call.
  /// - Parameter link: The span in which the request was stored that the call delivers.
  init(_ source: TraceSource, named name: String, link: TraceContext?) {
    parent = TraceContext.current
    self.link = link
    self.source = source
    context = source.tracing.tracer.begin(.internal, named: name, in: parent)
  }

  /// Begins the span of a request, and returns the request with its context, if its origin may have it.
  func traced(_ request: Request) -> Request {
    let span = source.tracing.tracer.begin(.client, named: HTTPSpan.name(request.method), in: context)
    let isAllowed = source.origins.contains(request.address.originName)
    let last = state.withLock { state in
      defer { state.sent = isAllowed ? span.traceparent : nil }
      state.waiting.append(span)
      return state.sent
    }
    let present = request.fields["traceparent"]
    // A context that the caller has set is another's: the trace would not be this one.
    guard present == nil || present == last, isAllowed || present != nil else { return request }
    var request = request
    for name in ["traceparent", "tracestate"] { request.fields.remove(name) }
    if isAllowed {
      request.fields.set("traceparent", span.traceparent)
      if !span.state.isEmpty, let state = TraceState.valid(span.state) {
        request.fields.set("tracestate", state)
      }
    }
    return request
  }

  /// Returns the spans that have begun since the last time: the last is that of the request that is sent, and of the
  /// others nothing was sent.
  func takeSpans() -> [TraceContext] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}

/// The tracing of a client, with the names of its origins.
struct TraceSource: Sendable {
  let tracing: Tracing
  /// The origins that are sent the context.
  let origins: Set<String>

  init(_ tracing: Tracing) {
    self.tracing = tracing
    origins = Set(tracing.origins.map { Address($0).originName })
  }
}
