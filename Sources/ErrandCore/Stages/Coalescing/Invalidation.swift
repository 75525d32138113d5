/// The reads that writes have made out of date. A read that began before such a write is not joined after it, and its
/// response is not cached. Pure, except for its lock.
final class InvalidationLog: Sendable {
  /// What a write changes, and a read reads.
  enum Name: Sendable, Hashable {
    /// A key of `Request.invalidating`: that of `shared(key:)`, or the name of `cached(as:)`.
    case key(RequestKey)
    /// A URL, as it is in the keys of the HTTP cache.
    case url(String)
  }

  private struct State {
    var last: UInt64 = 0
    var changes: [Name: UInt64] = [:]
    /// The change that counts for all other names.
    var floor: UInt64 = 0
  }

  /// The number of remembered names. When it is reached, all are forgotten, and each name counts as changed.
  private static let mostChanges = 1000

  private let state = Locked(State())

  init() {}

  /// The present moment, for `isChanged(_:since:)`.
  var now: UInt64 { state.withLock { $0.last } }

  /// Notes that what these names stand for has changed.
  func note(_ names: [Name]) {
    state.withLock { state in
      state.last += 1
      if state.changes.count >= Self.mostChanges {
        state.changes = [:]
        state.floor = state.last
      }
      for name in names { state.changes[name] = state.last }
    }
  }

  /// Returns the number of the last change of any of these names; 0 without a change.
  /// - Parameter names: Computed only if anything has changed at all.
  func lastChange(of names: () -> [Name]) -> UInt64 {
    if now == 0 { return 0 }
    let names = names()
    return state.withLock { state in
      names.reduce(state.floor) { max($0, state.changes[$1] ?? 0) }
    }
  }

  func isChanged(_ name: Name, since moment: UInt64) -> Bool { lastChange { [name] } > moment }
}

/// Makes reads out of date when a request with `invalidating` is sent, and again when it has ended: a read that begins
/// in between may still see the old state.
final class InvalidationStage: Stage {
  let usage = StageUsage.requests(with: .invalidating)
  private let log: InvalidationLog
  private let cache: CacheAccess

  init(_ log: InvalidationLog, _ cache: CacheAccess) {
    self.log = log
    self.cache = cache
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let keys = request.options.invalidated
    // The identity of the call, even if another signs in meanwhile.
    let user = cache.identity(request, context, in: .caching)
    // Already when it is sent: the process may end before the write does.
    await invalidate(keys, of: user, unless: context.cancellation)
    do {
      let response = try await next(request, context)
      await invalidate(keys, of: user, unless: context.cancellation)
      return response
    } catch {
      // A write that failed may have been carried out, unless it certainly did not reach the server.
      if (error as? RequestError)?.reachedServer != false || context.cancellation.mayHaveSent {
        log.note(keys.map { .key($0) })
        // A cancelled call does not wait for the cache.
        Task { [cache] in await cache.removeResponses(named: keys, of: user, unless: CancellationToken()) }
      }
      throw error
    }
  }

  private func invalidate(
    _ keys: [RequestKey], of user: CallIdentity, unless cancellation: CancellationToken
  ) async {
    // Noted before the responses are removed, so that an earlier read stores none after.
    log.note(keys.map { .key($0) })
    await cache.removeResponses(named: keys, of: user, unless: cancellation)
  }
}

extension CacheAccess {
  /// Removes the responses that are cached under these names. With a credential, those of its identity and of requests
  /// without one; otherwise all of them, because a key does not show for whom it is.
  func removeResponses(
    named keys: [RequestKey], of user: CallIdentity, unless cancellation: CancellationToken
  ) async {
    let names = Set(keys)
    do {
      try await asked(unless: cancellation) { store in
        var mark: [UInt8]?
        if let owner = user.owner { mark = CachePartition.mark(of: owner, salt: try await store.salt()) }
        for entry in try await store.list() where names.contains(RequestKey(stringLiteral: entry.key.name)) {
          guard mark.map({ entry.key.partition == .none || entry.key.partition.isMarked($0) }) != false else {
            continue
          }
          try await store.remove(entry.key)
        }
      }
    } catch {
      report(error, unless: cancellation)
    }
  }
}

extension Request {
  /// Makes reads with these keys out of date, for a write that changes what they read. A key is the name of
  /// ``cached(as:_:)``, or the key of ``shared(within:failures:whenAbandoned:key:fields:)``.
  ///
  /// ```swift
  /// try await client.send(.put(profileURL, json: profile).invalidating("profile", "friends"))
  /// ```
  ///
  /// This happens when the request is sent, and again when it has ended, unless it certainly did not reach the server.
  /// After that, no caller joins a shared request that began before, even if it is still running; those that have joined
  /// already still get its response. Responses cached under these names are removed, and one that was requested before is
  /// not cached any more. With a credential, only the responses of its identity and those of no identity are removed.
  /// Other processes that use the same cache are not told.
  public func invalidating(_ keys: RequestKey...) -> Request {
    with { $0.options.invalidated += keys }
  }
}
