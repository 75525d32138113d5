#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Responds from the cache by HTTP's rules (RFC 9111), asks servers whether stored responses are still valid, and
/// stores new ones.
final class HTTPCacheStage: Stage {
  let usage: StageUsage
  let cache: CacheAccess
  let cookies: CookieAccess?
  private let redirects: RedirectPolicy
  private let isForAll: Bool
  private let finishesAbandonedStreams: Bool
  private let validations = Validations()
  let changes = ChangeLog()
  private let renewal: BackgroundRenewal

  /// - Parameter settings: The client's HTTP cache, if all requests of the client use it.
  init(
    _ cache: CacheAccess, _ settings: HTTPCache?, redirects: RedirectPolicy, cookies: CookieAccess?,
    renewal: BackgroundRenewal
  ) {
    usage = settings != nil ? .everyRequest : .requests(with: .caching)
    self.cache = cache
    isForAll = settings != nil
    finishesAbandonedStreams = settings?.finishesAbandonedStreams ?? false
    self.redirects = redirects
    self.cookies = cookies
    self.renewal = renewal
  }

  var secrets: Secrets { cache.secrets }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard request.options.caching == nil, isForAll || request.options.usesHTTPCache else {
      return try await next(request, context)
    }
    // Looked up before the request is sent: the response belongs to the identity that sent the request, even
    // if another signs in meanwhile.
    let user = cache.identity(request, context, in: .exchange)
    let caller = Caller(user: user, context: context, next: next)
    guard request.method == .get || request.method == .head else { return try await passOn(request, caller) }
    var request = request
    var followed = 0
    while true {
      let response: Response
      switch try await respond(to: request, caller, followed: followed) {
      // The last stage has followed its redirects, and checked it.
      case .network(let response): return response
      case .cache(let made): response = made
      }
      switch try (request.options.redirects ?? redirects).step(
        request, response.head, followed: followed, secrets: secrets)
      {
      case .follow(let target): (request, followed) = (target, followed + 1)
      case .response:
        let response = try await response.resolved(for: context.destination)
        if response.status == 304, context.destination.isConditional { return response }
        if let rejection = request.options.validator.rejection(of: response) {
          throw rejection.error(of: response)
        }
        return response
      }
    }
  }

  /// A response, by where it comes from.
  enum Delivery: Sendable {
    /// The cache has made it, and it has not been checked yet.
    case cache(Response)
    case network(Response)
  }

  /// The values that stay the same while a call passes the stage.
  struct Caller: Sendable {
    let user: CallIdentity
    let context: CallContext
    let next: NextStage
  }

  // MARK: Safe requests

  private func respond(to request: Request, _ caller: Caller, followed: Int) async throws -> Delivery {
    let seen = SeenRequest(request, cookies?.field(for: request, of: caller.context), followed: followed)
    if let reason = seen.bypass { return try await ask(seen, caller, nil, CacheStatus(.bypass, reason)) }
    guard
      let place = await cache.place(
        of: request, caller.user, seen.fields, unless: caller.context.cancellation)
    else { return try await ask(seen, caller, nil, CacheStatus(.bypass, "the cache failed")) }

    var isCollapsed = false
    let mayWait = !CacheControl(seen.fields).contains("only-if-cached")
    while true {
      let selection = await cache.selection(at: place, for: seen.fields, unless: caller.context.cancellation)
      let found = selection.selected?.response
      if found == nil, let response = await withoutCookie(seen, caller) { return .cache(response) }
      guard let found, let part = found.part(for: seen.rangeFields), mayHold(part, request, caller.context)
      else {
        let status =
          found != nil
          ? CacheStatus(.partial, "only a part of the content is stored")
          : selection.variants.isEmpty
            ? CacheStatus(.uriMiss, "nothing is stored")
            : CacheStatus(.varyMiss, "only responses to other values of Vary's fields are stored")
        return try await ask(seen, caller, StoredVariants(place, selection), status)
      }
      let use = use(of: found, at: place, for: seen)
      switch use.verdict {
      case .deliver: return .cache(deliver(part, use, seen, caller, isCollapsed: isCollapsed))
      case .deliverAndValidate:
        renew(seen, caller, StoredVariants(place, selection))
        return .cache(deliver(part, use, seen, caller, isCollapsed: isCollapsed))
      case .validate:
        let status = CacheStatus(use.forward(of: seen.fields), use.reason)
        let stored = StoredVariants(place, selection)
        // A second request for the same validation waits for the first one, and then looks again.
        guard !isCollapsed, mayWait, let wait = validations.begin(place.key) else {
          defer { if !isCollapsed, mayWait { validations.end(place.key) } }
          return try await ask(seen, caller, stored, status)
        }
        try await caller.context.cancellation.interrupting { _ = await wait.settled() }
        isCollapsed = true
      }
    }
  }

  /// Returns a fresh response to the same request without a cookie, if one is stored. The response to a request with a
  /// cookie is only for requests with the same one.
  private func withoutCookie(_ seen: SeenRequest, _ caller: Caller) async -> Response? {
    guard seen.fields.contains("Cookie") else { return nil }
    var (request, fields) = (seen.request, seen.fields)
    request.fields.remove("Cookie")
    fields.remove("Cookie")
    let cancellation = caller.context.cancellation
    guard let place = await cache.place(of: request, caller.user, fields, unless: cancellation),
      let found = await cache.selection(at: place, for: seen.fields, unless: cancellation).selected?.response,
      let part = found.part(for: seen.fields), mayHold(part, request, caller.context)
    else { return nil }
    let use = use(of: found, at: place, for: seen)
    return use.verdict == .deliver ? deliver(part, use, seen, caller, isCollapsed: false) : nil
  }

  /// Decides how a stored response may be used. One whose URL has changed since must be validated.
  private func use(of found: CachedResponse, at place: CachePlace, for seen: SeenRequest) -> CacheUse {
    let isChanged = changes.isChanged(place.key.name, after: found.date)
    return FreshnessRule(now: cache.date()).use(
      of: isChanged ? found.invalidated : found, for: seen.fields)
  }

  /// Returns false if the body is larger than the request allows to hold in memory.
  private func mayHold(_ response: CachedResponse, _ request: Request, _ context: CallContext) -> Bool {
    guard case .memory = context.destination else { return true }
    return response.body.count <= Int64(request.options.memoryLimit ?? cache.memoryLimit)
  }

  /// Returns a stored response as the cache delivers it.
  private func deliver(
    _ stored: CachedResponse, _ use: CacheUse, _ seen: SeenRequest, _ caller: Caller, isCollapsed: Bool
  ) -> Response {
    var status = CacheStatus(hit: .seconds(use.ttl), use.reason)
    status.isCollapsed = isCollapsed
    var response = stored.delivered(to: seen.request, age: use.age)
    response.cacheStatus = status
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return response
  }

  /// Renews a stale response in the background, unless that happens already.
  private func renew(_ seen: SeenRequest, _ caller: Caller, _ stored: StoredVariants) {
    guard validations.begin(stored.place.key) == nil else { return }
    renewal.begin(seen.request, beside: caller.context) { [self] context in
      let caller = Caller(user: caller.user, context: context, next: caller.next)
      switch try await ask(seen, caller, stored, CacheStatus(.stale, "stale-while-revalidate")) {
      case .cache(let response), .network(let response): return response
      }
    } atEnd: { [validations] in
      validations.end(stored.place.key)
    }
  }

  // MARK: Asking the server

  /// Sends the request, and stores its response.
  private func ask(
    _ seen: SeenRequest, _ caller: Caller, _ stored: StoredVariants?, _ status: CacheStatus
  ) async throws -> Delivery {
    var status = status
    let context = caller.context
    if CacheControl(seen.fields).contains("only-if-cached") {
      status.detail = "\(status.detail ?? "not stored"), and the request says only-if-cached"
      return .cache(generated(504, status, seen, caller))
    }
    context.events?.tell(.cacheDecided(.http(status)))
    let usable = seen.request.method == .get ? stored?.selection?.usable(for: seen.fields) : nil
    let begun = changes.now
    let asked = seen.asking(
      usable, since: begun, draft: drafting(seen, stored, caller, since: begun),
      finishesAbandonedStreams: finishesAbandonedStreams)
    let response: Response
    do {
      response = try await caller.next(asked.request, context)
    } catch {
      if let fallback = fallback(for: error, seen, stored, status, caller) { return .cache(fallback) }
      guard let rejected = (error as? RequestError)?.response, let stored, seen.request.method == .get else {
        throw error
      }
      // The response is stored, even if this request rejects it.
      _ = await store(rejected, asked, stored, caller)
      throw error
    }
    guard let stored else { return .network(response.with(status)) }
    if Self.isOutage(response.status), let fallback = fallback(seen, stored, caller, isDisconnected: false) {
      return .cache(fallback)
    }
    if response.status == 304, asked.record.isConditional {
      return try await validated(response, asked, seen, stored, status, caller)
    }
    if seen.request.method == .head {
      if asked.record.isDirect { await update(stored, byHead: response, asked, caller) }
      return .network(response.with(status))
    }
    status.forwardStatus = response.status
    if let ttl = await store(response, asked, stored, caller) {
      status.isStored = true
      status.timeToLive = .seconds(ttl)
    } else if asked.record.isDrafted {
      // The body of a stream is stored while it is read.
      status.isStored = true
    }
    context.events?.tell(.cacheDecided(.http(status)))
    return .network(response.with(status))
  }

  /// Handles a 304 to a request with the cache's conditions.
  private func validated(
    _ response: Response, _ asked: ForwardedRequest, _ seen: SeenRequest, _ stored: StoredVariants,
    _ status: CacheStatus,
    _ caller: Caller
  ) async throws -> Delivery {
    var status = status
    status.forwardStatus = 304
    // A 304 of a redirect's target is about another URL.
    guard asked.record.isDirect, let variant = asked.selection?.validated(by: response.fields) else {
      if seen.isConditional { return .cache(response.with(status)) }
      // The server is wrong: it was not asked about another version.
      return try await ask(seen, caller, StoredVariants(stored.place, nil), status)
    }
    let date = cache.date()
    let rule = FreshnessRule(now: date)
    var updated = variant.response.updated(
      by: response.fields, date: date,
      initialAge: rule.initialAge(of: response.fields, delay: asked.delay(until: date)),
      secrets: secrets)
    let values = stored.place.values(updated.rules.vary, seen.fields, secrets)
    let known = updated.exchange?.selecting ?? []
    if !known.contains(values) {
      updated.exchange?.selecting = Array((known + [values]).suffix(CacheKey.variants.count))
    }
    if updated.rules.control.contains("no-store") {
      await cache.remove(stored.place, variant.number, unless: caller.context.cancellation)
    } else {
      status.isStored = await write(updated, at: stored.place, variant.number, asked, caller)
    }
    let use = rule.use(of: updated, for: [:])
    status.timeToLive = .seconds(use.ttl)
    let part = updated.part(for: seen.fields) ?? updated
    var delivered = part.delivered(to: seen.request, age: use.age)
    delivered.cacheStatus = status
    delivered.timing = response.timing
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return .cache(delivered)
  }

  /// Returns a response that the cache makes itself.
  private func generated(
    _ code: HTTPStatus, _ status: CacheStatus, _ seen: SeenRequest, _ caller: Caller
  ) -> Response {
    guard let url = seen.request.url else { preconditionFailure("a ready request has a URL") }
    var response = Response(status: code, url: url)
    response.cacheStatus = status
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return response
  }

  // MARK: Failures

  /// The statuses that `stale-if-error` counts as errors (RFC 5861, section 4).
  private static func isOutage(_ status: HTTPStatus) -> Bool { [500, 502, 503, 504].contains(status.code) }

  /// The failures of a server that cannot be reached. A failure of TLS is not one of them: it must not go unnoticed.
  private static let disconnections: Set<RequestError.Code> = [
    .cannotResolveHost, .cannotConnect, .connectionLost, .timedOut,
  ]

  private func fallback(
    for error: any Error, _ seen: SeenRequest, _ stored: StoredVariants?, _ status: CacheStatus,
    _ caller: Caller
  ) -> Response? {
    guard let stored, caller.context.cancellation.cause == nil, error.isServerOutOfReach,
      let error = error as? RequestError
    else { return nil }
    if case .status(let status, _)? = error.rejection, !Self.isOutage(status) { return nil }
    let isDisconnected = Self.disconnections.contains(error.code)
    if let response = fallback(seen, stored, caller, isDisconnected: isDisconnected) { return response }
    guard isDisconnected, let found = stored.selection?.selected?.response,
      FreshnessRule.mustReachServer(found.rules.control)
    else { return nil }
    // RFC 9111, section 5.2.2.2, for a caller that accepts it; others get the error.
    guard seen.request.options.validator.statuses.contains(504) else { return nil }
    return generated(504, status, seen, caller)
  }

  private func fallback(
    _ seen: SeenRequest, _ stored: StoredVariants, _ caller: Caller, isDisconnected: Bool
  ) -> Response? {
    let rule = FreshnessRule(now: cache.date())
    guard let found = stored.selection?.selected?.response,
      rule.mayReplaceError(found, for: seen.fields, isDisconnected: isDisconnected),
      let part = found.part(for: seen.fields), let age = rule.age(of: found)
    else { return nil }
    let ttl = rule.lifetime(of: found) - age
    let use = CacheUse(
      .deliver, age: age, ttl: ttl,
      isDisconnected
        ? "stale, and the server cannot be reached" : "stale, and the server failed (stale-if-error)")
    let response = deliver(part, use, seen, caller, isCollapsed: false)
    return seen.request.options.validator.problem(with: response.head) == nil ? response : nil
  }
}
