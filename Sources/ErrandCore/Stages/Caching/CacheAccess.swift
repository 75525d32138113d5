#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The client's use of its response cache. The cache may be an app's implementation, so every wait for it has
/// a limit.
struct CacheAccess: Sendable {
  /// The time that a request waits for the cache before it continues without it.
  static let patience = Duration.seconds(5)

  let identity: RequestIdentity
  let date: @Sendable () -> Date
  let cache: any ResponseCache
  let secrets: Secrets
  let memoryLimit: Int
  private let timeline: Timeline
  private let deadlines: Deadlines
  /// The cache, if it is in memory, so that it is never waited for.
  let memory: MemoryResponseCache?
  private let onFailure: (@Sendable (any Error) -> Void)?
  private let pause = StorePause()

  /// - Parameter memoryLimit: The limit, in bytes, for requests that set none.
  init(
    _ cache: any ResponseCache, identity: RequestIdentity, secrets: Secrets, memoryLimit: Int,
    date: @escaping @Sendable () -> Date, timeline: Timeline, deadlines: Deadlines,
    onFailure: (@Sendable (any Error) -> Void)?
  ) {
    self.cache = (cache as? HTTPCache)?.store ?? cache
    memory = self.cache as? MemoryResponseCache
    self.identity = identity
    self.secrets = secrets
    self.memoryLimit = memoryLimit
    self.date = date
    self.timeline = timeline
    self.deadlines = deadlines
    self.onFailure = onFailure
  }

  /// Returns the cached response of this request; nil if the cache fails. It is also nil if the request would
  /// reject the response, which another request or an older version of the program may have cached.
  func response(
    to request: Request, _ rule: CacheRule, of user: CallIdentity, unless cancellation: CancellationToken
  ) async -> CachedResponse? {
    do {
      let found = try await asked(unless: cancellation) { store in
        try await store.read(try await cacheKey(request, rule, user))
      }
      return found.flatMap { mayUse($0, for: request) ? $0 : nil }
    } catch {
      report(error, unless: cancellation)
      return nil
    }
  }

  private func mayUse(_ response: CachedResponse, for request: Request) -> Bool {
    !response.fields.forbidStoring && response.status.mayBeCached
      && response.data.count <= request.options.memoryLimit ?? memoryLimit
      && request.options.validator.rejection(of: response.response) == nil
  }

  func removeResponse(
    to request: Request, _ rule: CacheRule, of user: CallIdentity, unless cancellation: CancellationToken
  ) async throws {
    try await asked(unless: cancellation) { store in
      try await store.remove(try await cacheKey(request, rule, user))
    }
  }

  /// Caches a response, or renews the cached one with a 304.
  func store(
    _ response: Response, to request: Request, _ rule: CacheRule, of user: CallIdentity,
    unless cancellation: CancellationToken
  ) async {
    // Either side may forbid caching. `no-store` in the request leaves the cached response alone; in the
    // response it removes the cached one.
    if request.fields.forbidStoring { return }
    let date = date()
    do {
      if let cached = CachedResponse(response, date: date, secrets: secrets) {
        try await asked(unless: cancellation) { store in
          let key = try await cacheKey(request, rule, user)
          try await write(cached, under: key, of: user, to: store)
        }
      } else if response.fields.forbidStoring {
        try await removeResponse(to: request, rule, of: user, unless: cancellation)
      } else if response.status == 304 {
        try await asked(unless: cancellation) { store in
          let key = try await cacheKey(request, rule, user)
          let renewed = try await store.read(key)?.renewed(
            by: response.fields, to: request.fields, date: date, secrets: secrets)
          if let renewed { try await write(renewed, under: key, of: user, to: store) }
        }
      }
    } catch {
      report(error, unless: cancellation)
    }
  }

  /// Caches a response, and removes it if its identity has signed out meanwhile: its responses may have been
  /// cleared.
  func write(
    _ response: CachedResponse, under key: CacheKey, of user: CallIdentity, to store: any ResponseCache
  ) async throws {
    try await store.write(response, under: key)
    // The check comes after the write: a clearing that begins later finds the response.
    if !identity.isPresent(user) { try await store.remove(key) }
  }

  /// Runs `work` on the cache, and waits until the call is cancelled or `patience` has passed, at most. Fails at once
  /// for a while after the cache has not responded.
  func asked<Value: Sendable>(
    unless cancellation: CancellationToken,
    _ work: @escaping @Sendable (any ResponseCache) async throws -> Value
  ) async throws -> Value {
    let store = cache
    // The memory cache waits for its lock only.
    if memory != nil { return try await work(store) }
    guard !pause.isOn(at: timeline.now()) else { throw Self.noResponse }
    let wait = CancellationToken()
    let link = cancellation.onCancel(stopping: wait)
    let end = deadlines.add(wait, Self.patience, from: timeline.now())
    defer {
      end.leave()
      cancellation.removeCancelHandler(link)
    }
    do {
      return try await wait.interrupting { [pause, timeline] in
        defer { pause.end(at: timeline.now(), isCancelled: wait.cause != nil) }
        return try await work(store)
      }
    } catch {
      guard case .deadlineExceeded = wait.cause, cancellation.cause == nil else { throw error }
      pause.begin(at: timeline.now())
      throw Self.noResponse
    }
  }

  private static var noResponse: RequestError {
    RequestError(
      .timedOut, message: "the response cache did not respond within \(patience.formattedSeconds)",
      reachedServer: false)
  }

  /// Reports an error of the cache. The error of a cancelled call says nothing about the cache.
  func report(_ error: any Error, unless cancellation: CancellationToken) {
    if cancellation.cause == nil { onFailure?(error) }
  }

  private func cacheKey(_ request: Request, _ rule: CacheRule, _ user: CallIdentity) async throws -> CacheKey
  {
    let key = try await cache.key(
      rule.name, method: request.method, fields: request.fields, url: request.url, user: user.text,
      secrets: secrets)
    guard let owner = user.owner else { return key }
    return CacheKey(key.name, partition: key.partition.marked(by: owner, salt: try await cache.salt()))
  }

  /// Removes all responses that were cached for an identity.
  /// - Parameter owner: The identity, as in `CallIdentity`.
  func removeResponses(of owner: String) async throws {
    let mark = CachePartition.mark(of: owner, salt: try await cache.salt())
    for entry in try await cache.list() where entry.key.partition.isMarked(mark) {
      try await cache.remove(entry.key)
    }
  }
}

/// The time in which requests do without a store that did not respond. Otherwise each operation of each request would
/// wait for it.
private final class StorePause: Sendable {
  private static let length = Duration.seconds(30)
  private let until = Locked<Duration?>(nil)

  func isOn(at now: Duration) -> Bool { until.withLock { $0.map { now < $0 } ?? false } }

  func begin(at now: Duration) { until.withLock { $0 = now + Self.length } }

  /// Notes that the store has responded.
  /// - Parameter isCancelled: True if its work had been cancelled. If it ends at once then, it says nothing.
  func end(at now: Duration, isCancelled: Bool) {
    until.withLock { until in
      if isCancelled, let end = until, now < end - Self.length + .seconds(1) { return }
      until = nil
    }
  }
}
