/// Returns the cached response, or caches the network's, as the request's policy says.
final class CacheStage: Stage {
  let usage = StageUsage.requests(with: .caching)
  private let cache: CacheAccess
  private let renewal: BackgroundRenewal
  private let invalidations: InvalidationLog

  init(_ cache: CacheAccess, _ renewal: BackgroundRenewal, _ invalidations: InvalidationLog) {
    self.cache = cache
    self.renewal = renewal
    self.invalidations = invalidations
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let rule = request.options.caching else { return try await next(request, context) }
    try context.requireMemory(for: "cached")
    // Looked up before the request is sent: the response belongs to the identity that sent the request, even
    // if another signs in meanwhile.
    let user = cache.identity(request, context, in: .caching)
    // The fallback is per call: see `FallbackStage`.
    let state = CacheState(rule.policy == .staleIfError ? .networkOnly : rule.policy)
    var step = state.begin()
    var found: CachedResponse?
    while true {
      switch step {
      case .read:
        found = await cache.response(to: request, rule, of: user, unless: context.cancellation)
        let age = found?.age(at: cache.date())
        step = state.found(age: age)
        context.events?.tell(.cacheDecided(CacheDecision(step, age: age)))
      case .ask:
        return try await ask(request, rule, of: user, context, next)
      case .deliverCachedAndAsk:
        refresh(request, rule, of: user, beside: context, next)
        step = .deliverCached
      case .deliverCached:
        guard let found else { preconditionFailure("a response was to be delivered that was not found") }
        return found.response
      case .fail: preconditionFailure("only `FallbackStage` reaches this step")
      }
    }
  }

  /// Renews the cached response from the network, while the call already returns the old one.
  private func refresh(
    _ request: Request, _ rule: CacheRule, of user: CallIdentity, beside context: CallContext,
    _ next: NextStage
  ) {
    renewal.begin(request, beside: context) { context in
      try await self.ask(request, rule, of: user, context, next)
    }
  }

  /// Returns the network's response, after caching it, unless a write has made it out of date meanwhile.
  private func ask(
    _ request: Request, _ rule: CacheRule, of user: CallIdentity, _ context: CallContext, _ next: NextStage
  ) async throws -> Response {
    let name = InvalidationLog.Name.key(RequestKey(stringLiteral: rule.name))
    let begun = invalidations.now
    let response = try await next(request, context)
    if invalidations.isChanged(name, since: begun) { return response }
    await cache.store(response, to: request, rule, of: user, unless: context.cancellation)
    if invalidations.isChanged(name, since: begun) {
      try? await cache.removeResponse(to: request, rule, of: user, unless: context.cancellation)
    }
    return response
  }
}
