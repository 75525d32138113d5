/// Begins the span of each attempt, and sends its context to the origins that may have it. Within an attempt,
/// each redirect has its own span.
final class TracingStage: Stage {
  let usage: StageUsage

  init(_ tracing: Tracing?) { usage = tracing == nil ? .none : .everyRequest }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    try await next(context.traced(request), context)
  }
}

extension CallContext {
  /// Begins the span of a request that is about to be sent, and returns the request with its context.
  func traced(_ request: Request) -> Request { events?.trace?.traced(request) ?? request }
}
