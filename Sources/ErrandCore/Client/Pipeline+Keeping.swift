/// The stages' use of the response cache. It may be an app's own implementation, so every wait for it has a
/// limit.
extension Pipeline {
  /// The time that a request waits for the store before it continues without it.
  static var cachePatience: Duration { .seconds(5) }

  /// Returns the cached response of this request. A store that fails counts as empty, and a response that the
  /// request would reject counts as missing: another request, or an older version of the program, may have
  /// cached it.
  func cachedResponse(
    to request: Request, _ rule: CacheRule, of user: String?, unless cancellation: CancellationToken
  ) async -> CachedResponse? {
    do {
      let found = try await asked(unless: cancellation) { store in
        try await store.read(try await self.cacheKey(request, rule, user))
      }
      return found.flatMap { response in
        response.fields.forbidStoring || request.options.validator.rejection(of: response.response) != nil
          ? nil : response
      }
    } catch {
      report(error, unless: cancellation)
      return nil
    }
  }

  func removeCachedResponse(
    to request: Request, _ rule: CacheRule, of user: String?, unless cancellation: CancellationToken
  ) async throws {
    try await asked(unless: cancellation) { store in
      try await store.remove(try await self.cacheKey(request, rule, user))
    }
  }

  /// Caches a response, or renews the cached one with a 304.
  func keep(
    _ response: Response, to request: Request, _ rule: CacheRule, of user: String?,
    unless cancellation: CancellationToken
  ) async {
    // Either side may forbid caching: `no-store` in the request leaves the cached response alone, in the
    // response it removes it.
    if request.fields.forbidStoring { return }
    let (date, secrets) = (configuration.date(), configuration.secrets)
    do {
      if let cached = CachedResponse(response, date: date, secrets: secrets) {
        try await asked(unless: cancellation) { store in
          try await store.write(cached, under: try await self.cacheKey(request, rule, user))
        }
      } else if response.fields.forbidStoring {
        try await removeCachedResponse(to: request, rule, of: user, unless: cancellation)
      } else if response.status == 304 {
        try await asked(unless: cancellation) { store in
          let key = try await self.cacheKey(request, rule, user)
          let renewed = try await store.read(key)?.renewed(
            by: response.fields, to: request.fields, date: date, secrets: secrets)
          if let renewed { try await store.write(renewed, under: key) }
        }
      }
    } catch {
      report(error, unless: cancellation)
    }
  }

  /// Runs `work` on the store, but waits no longer than `cachePatience`, nor for a call that is cancelled.
  private func asked<Value: Sendable>(
    unless cancellation: CancellationToken,
    _ work: @escaping @Sendable (any ResponseCache) async throws -> Value
  ) async throws -> Value {
    let store = configuration.cache
    // The memory cache waits for nothing but its lock.
    if store is MemoryResponseCache { return try await work(store) }
    let wait = CancellationToken()
    let link = cancellation.onCancel(stopping: wait)
    let timer = Task { [timeline] in
      try await timeline.sleep(Self.cachePatience)
      wait.cancel(.deadlineExceeded(Self.cachePatience))
    }
    defer {
      timer.cancel()
      cancellation.removeCancelHandler(link)
    }
    do {
      return try await wait.interrupting { try await work(store) }
    } catch {
      guard case .deadlineExceeded = wait.cause, cancellation.cause == nil else { throw error }
      throw RequestError(
        .timedOut,
        message: "the response cache was silent for \(Self.cachePatience.formattedSeconds)",
        reachedServer: false)
    }
  }

  /// A call that was cancelled says nothing about the store.
  private func report(_ error: any Error, unless cancellation: CancellationToken) {
    if cancellation.cause == nil { configuration.onCacheFailure?(error) }
  }

  private func cacheKey(_ request: Request, _ rule: CacheRule, _ user: String?) async throws -> CacheKey {
    try await configuration.cache.key(
      rule.name, method: request.method, fields: request.fields, url: request.url, user: user,
      secrets: configuration.secrets)
  }
}

extension ResponseValidator {
  /// Returns why the validator rejects a response that another request has obtained; nil if it accepts it.
  func rejection(of response: Response) -> RequestError.Rejection? {
    problem(with: ResponseHead(status: response.status, fields: response.fields))
      ?? problem(with: response, bodyLength: Int64(response.data.count))
  }
}

extension Result<Response, any Error> {
  /// False if the response must not be stored, not even for a sharing window.
  var mayBeReplayed: Bool {
    switch self {
    case .success(let response): !response.fields.forbidStoring
    case .failure(let error): (error as? RequestError)?.fields?.forbidStoring != true
    }
  }
}
