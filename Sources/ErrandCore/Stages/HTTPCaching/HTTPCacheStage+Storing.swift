#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTTPCacheStage {
  /// Stores a response of the network, and the redirects on the way to it.
  /// - Returns: How long it is fresh, in seconds; nil if it was not stored.
  func store(_ response: Response, _ asked: ForwardedRequest, _ stored: StoredVariants, _ caller: Caller)
    async -> TimeInterval?
  {
    guard let outcome = asked.record.outcome else { return nil }
    // A cookie that was set on the way may have changed what the target saw.
    guard cookies == nil || outcome.hops.isEmpty else { return nil }
    let cancellation = caller.context.cancellation
    var stored = stored
    let targets = outcome.hops.dropFirst().map(\.request) + [outcome.request]
    for (hop, target) in zip(outcome.hops, targets) {
      _ = await store(hop.response, to: hop.request, sentAt: hop.sentAt, stored, asked, caller)
      guard let next = await cache.place(of: target, caller.user, target.fields, unless: cancellation) else {
        return nil
      }
      stored = StoredVariants(next, await cache.selection(at: next, for: target.fields, unless: cancellation))
    }
    return await store(
      response, to: outcome.request, sentAt: outcome.sentAt ?? cache.date(), stored, asked, caller)
  }

  private func store(
    _ response: Response, to request: Request, sentAt: Date, _ stored: StoredVariants,
    _ asked: ForwardedRequest, _ caller: Caller
  ) async -> TimeInterval? {
    let cancellation = caller.context.cancellation
    let date = cache.date()
    let rule = FreshnessRule(now: date)
    let old = stored.selection?.selected
    // The fields by which the response was selected, with the cookies that were added.
    let fields = asked.record.isDirect ? asked.seen.fields : request.fields
    guard let body = response.cacheableBody, !response.isCut,
      rule.mayStore(response.status, response.fields, to: request.fields)
    else {
      // An older response to the same request is out of date, unless the server was in trouble.
      if let old, !response.status.isServerError, CacheControl(response.fields).contains("no-store") {
        await cache.remove(stored.place, old.number, unless: cancellation)
      }
      return nil
    }
    guard
      var new = made(response.head, body, from: response.url, to: fields, sentAt: sentAt, stored.place, rule)
    else { return nil }
    if new.exchange?.part != nil, let old {
      // A part does not replace a complete response, which is validated when it is used.
      guard
        let combined = old.response.combined(with: new) ?? (old.response.exchange?.part != nil ? new : nil)
      else { return nil }
      new = combined
    }
    guard rule.isWorthStoring(new) else {
      if let old { await cache.remove(stored.place, old.number, unless: cancellation) }
      return nil
    }
    let number = (stored.selection ?? CacheSelection.empty).number(for: new, among: CacheKey.variants)
    let isStored = await write(new, at: stored.place, number, asked, caller)
    if isStored { caller.validation?.stored(under: stored.place.key.variant(number)) }
    for number in stored.selection?.outdated(by: new) ?? [] {
      await cache.remove(stored.place, number, unless: cancellation)
    }
    return isStored ? rule.lifetime(of: new) - (rule.age(of: new) ?? 0) : nil
  }

  /// Returns the stored form of a response; nil for a part that does not fit its head.
  private func made(
    _ head: ResponseHead, _ body: CachedBody, from url: URL, to fields: HTTPFields, sentAt: Date,
    _ place: CachePlace,
    _ rule: FreshnessRule
  ) -> CachedResponse? {
    var new = CachedResponse(
      head, body: body, from: url,
      exchange: CachedExchange(
        initialAge: rule.initialAge(of: head.fields, delay: rule.now.timeIntervalSince(sentAt))),
      date: rule.now, secrets: secrets)
    let values = place.values(new.rules.vary, fields, secrets)
    new.exchange?.selecting = [values]
    if head.status == 206 || head.namesPart {
      guard !head.isCoded, let range = ContentRange(head), let total = range.total, range.count == body.count
      else {
        return nil
      }
      new.exchange?.part = CachedExchange.Part(start: range.start, total: total)
    }
    return new
  }

  /// Stores a response, unless its URL has changed since the request was sent.
  func write(
    _ response: CachedResponse, at place: CachePlace, _ number: Int, _ asked: ForwardedRequest,
    _ caller: Caller
  ) async -> Bool {
    let cancellation = caller.context.cancellation
    return await changes.store(place.key.variant(number), requestedAt: asked.begun, at: response.date) {
      await cache.write(response, at: place, number, of: caller.user, unless: cancellation)
    } remove: {
      await cache.remove(place, number, unless: cancellation)
    }
  }

  // MARK: Streams

  /// Returns how a streamed response is stored, by its head; nil for other destinations.
  func drafting(
    _ seen: SeenRequest, _ stored: StoredVariants?, _ caller: Caller, since begun: Int
  ) -> ForwardRecord.Drafting? {
    guard case .stream = caller.context.destination, seen.request.method == .get, let stored,
      let url = seen.request.url
    else { return nil }
    return { [self] head, sentAt in
      let rule = FreshnessRule(now: cache.date())
      guard head.status != 206, !head.namesPart, rule.mayStore(head.status, head.fields, to: seen.fields),
        let new = made(
          head, CachedBody(Data()), from: url, to: seen.fields, sentAt: sentAt, stored.place, rule),
        rule.isWorthStoring(new)
      else { return nil }
      let number = (stored.selection ?? .empty).number(for: new, among: CacheKey.variants)
      return cache.draft(new, at: stored.place, number, of: caller.user, changes, since: begun)
    }
  }

  // MARK: HEAD

  /// Updates the stored response by one to HEAD, or marks it as out of date (RFC 9111, section 4.3.5).
  func update(
    _ stored: StoredVariants, byHead response: Response, _ asked: ForwardedRequest, _ caller: Caller
  ) async {
    guard let old = stored.selection?.selected, old.response.exchange?.part == nil else { return }
    guard !response.status.isServerError else { return }
    let fields = response.fields
    func agrees(_ name: String) -> Bool {
      guard let new = fields[name] else { return true }
      return old.response.fields[name].map { ASCII.areSame($0, new) } ?? true
    }
    let isSame =
      response.status == old.response.status && agrees("ETag") && agrees("Last-Modified")
      && agrees("Content-Length")
    let date = cache.date()
    let updated =
      isSame
      ? old.response.updated(
        by: fields, date: date,
        initialAge: FreshnessRule(now: date).initialAge(of: fields, delay: asked.delay(until: date)),
        secrets: secrets)
      : old.response.invalidated
    _ = await write(updated, at: stored.place, old.number, asked, caller)
  }

  // MARK: Other methods

  /// Sends a request whose response does not come from the cache. After an unsafe one, the stored responses of its
  /// target are out of date (RFC 9111, section 4.4).
  func passOn(_ request: Request, _ caller: Caller) async throws -> Response {
    let cookie = cookies?.field(for: request, of: caller.context)
    let asked = SeenRequest(request, cookie, followed: 0).asking(nil, since: changes.now)
    let status = CacheStatus(.method, "the cache responds to GET and HEAD only")
    caller.context.events?.tell(.cacheDecided(.http(status)))
    var response: Response
    do {
      response = try await caller.next(asked.request, caller.context).with(status)
    } catch {
      // The server may have accepted the request, whatever its checks say of the response.
      let rejected = (error as? RequestError).flatMap { error in
        error.status.map { ResponseHead(status: $0, fields: error.fields ?? [:]) }
      }
      await invalidate(after: request, asked, rejected, caller)
      throw error
    }
    await invalidate(after: request, asked, response.head, caller)
    if let ttl = await storePost(response, asked, caller) {
      var stored = status
      stored.isStored = true
      stored.timeToLive = .seconds(ttl)
      response.cacheStatus = stored
    }
    return response
  }

  /// Removes the stored responses that an unsafe request has made out of date.
  /// - Parameter head: The head of the response; nil without one.
  private func invalidate(
    after request: Request, _ asked: ForwardedRequest, _ head: ResponseHead?, _ caller: Caller
  ) async {
    guard !request.method.isSafe else { return }
    let heads = (asked.record.outcome?.hops ?? []).map(\.response.head) + [head].compactMap(\.self)
    for head in heads where 200..<400 ~= head.status.code {
      for url in Self.changed(request, head) { await remove(url, of: request, caller) }
    }
  }

  /// Removes a URL's responses of the caller and of requests without a credential. Those of others are validated.
  private func remove(_ url: Address, of request: Request, _ caller: Caller) async {
    let cancellation = caller.context.cancellation
    var target = request
    target.address = url
    let own = cookies?.field(for: target, of: caller.context)
    var open = target
    open.fields.remove(where: secrets.covers)
    // Noted even if the store does not respond.
    changes.note(cache.name(of: target), at: cache.date())
    // A shared read of the URL that began before is not joined after.
    invalidations.note([.url(cache.name(of: target))])
    for (target, user, cookie) in [(target, caller.user, own), (open, CallIdentity(), nil)] {
      let fields = SeenRequest(target, cookie, followed: 0).fields
      guard let place = await cache.place(of: target, user, fields, unless: cancellation) else { continue }
      await cache.removeAll(at: place, unless: cancellation)
    }
  }

  /// The URLs whose stored responses a request has made out of date: its target, and those that the response names
  /// within its origin.
  private static func changed(_ request: Request, _ head: ResponseHead) -> [Address] {
    guard let url = request.url, let base = URLReference(url.absoluteString) else { return [] }
    let named = ["Location", "Content-Location"].compactMap { head.fields[$0] }.compactMap {
      Self.address($0, from: base)
    }.filter { $0.originName == request.originName }
    return [request.address] + named
  }

  /// Returns the URL that a field of a response names.
  private static func address(_ text: String, from base: URLReference) -> Address? {
    guard let reference = URLReference(ASCII.trimmed(text)) else { return nil }
    let resolved = reference.resolved(against: base)
    return Address(resolved, of: resolved.text)
  }

  /// Stores the response to a POST as that of a later GET, if it says that it is one, and how long it is fresh
  /// (RFC 9110, section 9.3.3).
  private func storePost(_ response: Response, _ asked: ForwardedRequest, _ caller: Caller) async
    -> TimeInterval?
  {
    let control = CacheControl(response.fields)
    guard asked.seen.request.method == .post, response.status == 200,
      asked.record.outcome?.hops.isEmpty == true,
      control.contains("max-age") || response.fields.contains("Expires"),
      let location = response.fields["Content-Location"], let base = URLReference(asked.seen.request.urlText),
      Self.address(location, from: base)?.text == asked.seen.request.address.text
    else { return nil }
    let cancellation = caller.context.cancellation
    var get = asked.seen.request
    get.method = .get
    guard let place = await cache.place(of: get, caller.user, asked.seen.fields, unless: cancellation) else {
      return nil
    }
    var asked = asked
    // The change is its own.
    asked.begun = changes.now
    return await store(
      response, to: get, sentAt: asked.record.outcome?.sentAt ?? cache.date(), StoredVariants(place, nil),
      asked, caller)
  }
}
