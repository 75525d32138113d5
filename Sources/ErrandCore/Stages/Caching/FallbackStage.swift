/// Falls back on the cached response if the server is out of reach or the deadline passes, whatever the call
/// waits for then. Used by requests whose policy is `staleIfError`.
final class FallbackStage: Stage {
  let usage = StageUsage.requests(with: .caching)
  private let cache: CacheAccess
  private let deadlines: Deadlines

  init(_ cache: CacheAccess, _ deadlines: Deadlines) {
    self.cache = cache
    self.deadlines = deadlines
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let rule = request.options.caching, rule.policy == .staleIfError else {
      return try await next(request, context)
    }
    try context.requireMemory(for: "cached")
    // A request with dependencies may be sent for the identity that they sign in, so its identity is looked
    // up later.
    let user = request.options.dependencies.isEmpty ? cache.identity(request, context, in: .caching) : nil
    do {
      return try await inTime(request, context, next)
    } catch {
      var state = CacheState(rule.policy)
      guard state.failed(error) == .read,
        let found = await cache.response(
          to: request, rule, of: user ?? cache.identity(request, context, in: .caching),
          unless: context.cancellation)
      else { throw error }
      let age = found.age(at: cache.date())
      guard state.found(age: age) == .deliverCached else { throw error }
      context.events?.tell(.cacheDecided(.fallback(age)))
      return found.response
    }
  }

  /// Ends `next` at the call's deadline, but lets the call continue without the network.
  private func inTime(
    _ request: Request, _ context: CallContext, _ next: NextStage
  ) async throws -> Response {
    guard context.deadline != nil else { return try await next(request, context) }
    let limited = context.forked { $0.cancellation = CancellationToken() }
    let link = context.cancellation.onCancel(stopping: limited.cancellation)
    limited.keepDeadline(in: deadlines)
    defer {
      context.cancellation.removeCancelHandler(link)
      limited.end()
    }
    do {
      let response = try await next(request, limited)
      try limited.cancellation.finish()
      return response
    } catch {
      throw limited.cancellation.failure(attempts: (error as? RequestError)?.attempt ?? 0) ?? error
    }
  }
}
