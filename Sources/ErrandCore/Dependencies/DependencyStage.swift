/// Waits for the calls that a request depends on, and raises them to its priority.
final class DependencyStage: Stage {
  let usage = StageUsage.requestsWithOptions

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let calls = request.options.dependencies
    if calls.isEmpty { return try await next(request, context) }
    let rises = context.effectivePriority.onRaise { [effectivePriority = context.effectivePriority] _ in
      for call in calls { call.rise(with: effectivePriority) }
    }
    defer { context.effectivePriority.removeRaiseHandler(rises) }
    for call in calls { call.rise(with: context.effectivePriority) }
    try await Dependencies(calls).wait(unless: context.cancellation)
    return try await next(request, context)
  }
}
