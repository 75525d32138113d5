/// The open spans of one call.
final class CallTrace: Sendable {
  private struct State: Sendable {
    /// The spans that have begun, and whose requests have not been sent.
    var waiting: [TraceContext] = []
    /// The fields that the last request got.
    var sent = HTTPFields()
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
      defer { state.sent = HTTPFields() }
      state.waiting.append(span)
      return state.sent
    }
    let present = request.fields["traceparent"]
    // A context that the caller has set belongs to another trace, so it is not replaced.
    guard present == nil || present == last["traceparent"], isAllowed || !last.isEmpty else { return request }
    var request = request
    request.fields.remove { last.contains($0) }
    guard isAllowed else { return request }
    var added = source.tracing.tracer.fields(of: span)
    // A state belongs to its context. Other fields that the caller has set are kept.
    if added.contains("traceparent") { request.fields.remove("tracestate") }
    added.remove { request.fields.contains($0.name) }
    for field in added { request.fields.append(field) }
    state.withLock { $0.sent = added }
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
