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
  let finishesAbandonedStreams: Bool
  private let validations = Validations()
  let changes = ChangeLog()
  private let renewal: BackgroundRenewal
  let invalidations: InvalidationLog

  /// - Parameter settings: The client's HTTP cache, if all requests of the client use it.
  init(
    _ cache: CacheAccess, _ settings: HTTPCache?, redirects: RedirectPolicy, cookies: CookieAccess?,
    renewal: BackgroundRenewal, invalidations: InvalidationLog
  ) {
    self.invalidations = invalidations
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
    let caller = Caller(user: user, context: context, next: next, validation: nil)
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
    /// The validation that other calls wait for, if this call is the one that asks the server.
    let validation: Validation?
  }

  // MARK: Safe requests

  private func respond(to request: Request, _ caller: Caller, followed: Int) async throws -> Delivery {
    let seen = SeenRequest(request, cookies?.field(for: request, of: caller.context), followed: followed)
    if let reason = seen.bypass { return try await ask(seen, caller, nil, CacheStatus(.bypass, reason)) }
    let cancellation = caller.context.cancellation
    guard let place = await cache.place(of: request, caller.user, seen.fields, unless: cancellation)
    else { return try await ask(seen, caller, nil, CacheStatus(.bypass, "the cache failed")) }

    var wait = ValidationWait()
    while true {
      let selection = await cache.selection(at: place, for: seen.fields, unless: cancellation)
      if selection.selected == nil, let response = await withoutCookie(seen, caller) {
        return .cache(response)
      }
      let stored = StoredVariants(place, selection)
      guard let variant = selection.selected, let part = part(of: variant.response, seen, caller) else {
        return try await ask(seen, caller, stored, miss(selection, seen))
      }
      let use = use(of: variant, at: place, for: seen)
      switch use.verdict {
      case .deliver: return .cache(deliver(part, use, seen, caller, after: wait))
      case .deliverAndValidate:
        renew(seen, caller, stored, variant)
        return .cache(deliver(part, use, seen, caller, after: wait))
      case .validate:
        let status = CacheStatus(use.forward(of: seen.fields), use.reason)
        if wait.hasValidated(variant.number) {
          return .cache(deliver(part, use, seen, caller, after: wait))
        }
        if case .failed(let isDisconnected)? = wait.ending,
          let response = fallback(seen, stored, caller, isDisconnected: isDisconnected)
        {
          return .cache(response)
        }
        // A second request for the same validation waits for the first one, and then looks again.
        guard wait.mayGoOn, !Validations.isLeading, !CacheControl(seen.fields).contains("only-if-cached")
        else { return try await ask(seen, caller, stored, status) }
        let group = Validations.Group(
          place.key.variant(variant.number), seen.request.options, caller.context.effectivePriority.current)
        let (validation, isOwn) = validations.begin(group)
        if isOwn {
          defer { validations.end(group) }
          let leader = Caller(
            user: caller.user, context: caller.context, next: caller.next, validation: validation)
          return try await Validations.$isLeading.withValue(true) {
            try await ask(seen, leader, stored, status)
          }
        }
        wait.waited(for: variant.number, status, try await validation.ended(unless: cancellation))
      }
    }
  }

  /// Returns the part of a stored response that the request asks for; nil if it is not stored, or too large.
  func part(of found: CachedResponse, _ seen: SeenRequest, _ caller: Caller) -> CachedResponse? {
    found.part(for: seen.rangeFields).flatMap {
      mayHold($0, seen.request, caller.context) ? $0 : nil
    }
  }

  /// Returns why none of the stored responses is usable.
  private func miss(_ selection: CacheSelection, _ seen: SeenRequest) -> CacheStatus {
    guard let found = selection.selected else {
      return selection.variants.isEmpty
        ? CacheStatus(.uriMiss, "nothing is stored")
        : CacheStatus(.varyMiss, "only responses to other values of Vary's fields are stored")
    }
    return found.response.part(for: seen.rangeFields) == nil
      ? CacheStatus(.partial, "only a part of the content is stored")
      : CacheStatus(.miss, "the stored content is larger than the request's memoryLimit")
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
      let found = await cache.selection(at: place, for: seen.fields, unless: cancellation).selected,
      let part = part(of: found.response, seen, caller)
    else { return nil }
    let use = use(of: found, at: place, for: seen)
    return use.verdict == .deliver ? deliver(part, use, seen, caller) : nil
  }

  /// Decides how a stored response may be used. One whose URL has changed since must be validated.
  private func use(of found: CacheSelection.Variant, at place: CachePlace, for seen: SeenRequest) -> CacheUse
  {
    FreshnessRule(now: cache.date()).use(of: marked(found, at: place), for: seen.fields)
  }

  /// Returns a stored response, marked as invalid if its URL has changed since.
  func marked(_ found: CacheSelection.Variant, at place: CachePlace) -> CachedResponse {
    let isChanged = changes.isChanged(place.key.variant(found.number), after: found.response.date)
    return isChanged ? found.response.invalidated : found.response
  }

  /// Returns false if the body is larger than the request allows to hold in memory.
  func mayHold(_ response: CachedResponse, _ request: Request, _ context: CallContext) -> Bool {
    guard case .memory = context.destination else { return true }
    return response.body.count <= Int64(request.options.memoryLimit ?? cache.memoryLimit)
  }

  /// Returns a stored response, or the part that the request asks for, as the cache delivers it.
  /// - Parameter wait: The validations that the call has waited for. Default: none.
  func deliver(
    _ part: CachedResponse, _ use: CacheUse, _ seen: SeenRequest, _ caller: Caller,
    after wait: ValidationWait = ValidationWait()
  ) -> Response {
    var status = CacheStatus(hit: .seconds(use.ttl), use.reason)
    if let forwarded = wait.status {
      status = forwarded
      status.isCollapsed = true
      status.timeToLive = .seconds(use.ttl)
    }
    var response = part.delivered(to: seen.request, age: use.age)
    response.cacheStatus = status
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return response
  }

  /// Renews a stale response in the background, unless that happens already.
  private func renew(
    _ seen: SeenRequest, _ caller: Caller, _ stored: StoredVariants, _ variant: CacheSelection.Variant
  ) {
    let group = Validations.Group(
      stored.place.key.variant(variant.number), seen.request.options,
      caller.context.effectivePriority.current, isRenewal: true)
    let (validation, isOwn) = validations.begin(group)
    guard isOwn else { return }
    renewal.begin(seen.request, beside: caller.context) { [self] context in
      let caller = Caller(user: caller.user, context: context, next: caller.next, validation: validation)
      switch try await ask(seen, caller, stored, CacheStatus(.stale, "stale-while-revalidate")) {
      case .cache(let response), .network(let response): return response
      }
    } atEnd: { [validations] in
      validations.end(group)
    }
  }
}
