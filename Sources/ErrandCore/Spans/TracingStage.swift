/// Begins the span of each attempt, and sends its context to the origins that may have it.
final class TracingStage: Stage {
  let usage: StageUsage
  private let tracing: Tracing?
  private let origins: Set<String>

  init(_ tracing: Tracing?) {
    self.tracing = tracing
    usage = tracing == nil ? .none : .everyRequest
    origins = Set((tracing?.origins ?? []).map { Address($0).originName })
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let tracing, let trace = context.events?.trace else { return try await next(request, context) }
    let span = tracing.tracer.begin(.client, named: HTTPSpan.name(request.method), in: trace.context)
    trace.begin(span)
    var request = request
    // A context that the caller has set is another's: the trace would not be this one.
    if origins.contains(request.address.originName), !request.fields.contains("traceparent") {
      request.fields.set("traceparent", span.traceparent)
      if !span.state.isEmpty { request.fields.set("tracestate", span.state) }
    }
    return try await next(request, context)
  }
}
