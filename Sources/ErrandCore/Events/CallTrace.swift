/// The open spans of one call.
final class CallTrace: Sendable {
  private struct State: Sendable {
    /// The spans that have begun, and whose requests have not been sent.
    var waiting: [TraceContext] = []
    /// The `traceparent` of the last request; nil if it got none.
    var sent: String?
  }

  /// The span of the call.
  let context: TraceContext
  /// The span that the call is a part of; nil for a root.
  let parent: TraceContext?
  /// The span in which the call's request was stored; nil if it was not stored.
  let link: TraceContext?
  private let source: TraceSource
  private let state = Locked(State())

  /// Begins the span of a call.
  /// - Parameter link: The span in which the call's request was stored; nil if it was not stored.
  init(_ source: TraceSource, named name: String, link: TraceContext?) {
    parent = TraceContext.current
    self.link = link
    self.source = source
    context = source.tracing.tracer.begin(.internal, named: name, in: parent)
  }

  /// Begins the span of a request. Returns the request with the span's context, if its origin may receive
  /// that.
  func traced(_ request: Request) -> Request {
    let span = source.tracing.tracer.begin(.client, named: HTTPSpan.name(request.method), in: context)
    let isAllowed = source.origins.contains(request.address.originName)
    let last = state.withLock { state in
      defer { state.sent = isAllowed ? span.traceparent : nil }
      state.waiting.append(span)
      return state.sent
    }
    let present = request.fields["traceparent"]
    // A context that the caller has set belongs to another trace, so it is not replaced.
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

  /// Returns the spans that have begun since the last call of this method. The last one is that of the
  /// request that is sent; the others' requests were not sent.
  func takeSpans() -> [TraceContext] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}

/// A client's tracing, with the names of its origins.
struct TraceSource: Sendable {
  let tracing: Tracing
  /// The origins that receive the context.
  let origins: Set<String>

  init(_ tracing: Tracing) {
    self.tracing = tracing
    origins = Set(tracing.origins.map { Address($0).originName })
  }
}
