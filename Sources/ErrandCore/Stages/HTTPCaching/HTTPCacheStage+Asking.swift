#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTTPCacheStage {
  /// Sends the request, and stores its response.
  func ask(
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
      if context.cancellation.cause != nil { caller.validation?.note(.cancelled) }
      if let fallback = fallback(for: error, seen, stored, status, caller) { return .cache(fallback) }
      guard let rejected = (error as? RequestError)?.response, let stored, seen.request.method == .get else {
        throw error
      }
      // The response is stored, even if this request rejects it.
      _ = await store(rejected, asked, stored, caller)
      throw error
    }
    guard let stored else { return .network(response.with(status)) }
    if Self.isOutage(response.status) {
      caller.validation?.note(.failed(isDisconnected: false))
      if let fallback = fallback(seen, stored, caller, isDisconnected: false) { return .cache(fallback) }
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
    let use = rule.use(of: updated, for: [:])
    if updated.rules.control.contains("no-store") {
      await cache.remove(stored.place, variant.number, unless: caller.context.cancellation)
    } else if await write(updated, at: stored.place, variant.number, asked, caller) {
      status.isStored = true
      status.timeToLive = .seconds(use.ttl)
      caller.validation?.stored(under: stored.place.key.variant(variant.number))
    }
    let part = updated.part(for: seen.fields) ?? updated
    guard mayHold(part, seen.request, caller.context) else {
      return try await ask(seen, caller, StoredVariants(stored.place, nil), status)
    }
    var delivered = part.delivered(to: seen.request, age: use.age)
    delivered.cacheStatus = status
    delivered.timing = response.timing
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return .cache(delivered)
  }

  /// Returns a response that the cache makes itself.
  func generated(
    _ code: HTTPStatus, _ status: CacheStatus, _ seen: SeenRequest, _ caller: Caller
  ) -> Response {
    guard let url = seen.request.url else { preconditionFailure("a ready request has a URL") }
    var response = Response(status: code, url: url)
    response.cacheStatus = status
    caller.context.events?.tell(.cacheDecided(.http(status)))
    return response
  }
}
