extension Request {
  /// Sets the priority. Default: `Priority.default`.
  public func priority(_ priority: Priority) -> Request { with { $0.options.priority = priority } }

  /// Shows the request in an activity while it is in flight, if it takes longer than the activity's delay.
  /// - Parameters:
  ///   - text: The text shown while this is the activity's newest request. Default: the activity's own text.
  ///   - blocksInput: True if the user must wait until the request has ended.
  public func activity(_ activity: RequestActivity, text: String? = nil, blocksInput: Bool = false) -> Request
  {
    with { $0.options.activity = ActivityUse(activity, text: text, blocksInput: blocksInput) }
  }

  /// Sets the highest priority, and lets the activity block input until the request has ended.
  public func mustFinishFirst(_ activity: RequestActivity, text: String? = nil) -> Request {
    priority(.userInitiated).activity(activity, text: text, blocksInput: true)
  }

  /// Sets the lowest priority, and shows the request in no activity.
  public func inBackground() -> Request {
    with {
      $0.options.priority = .background
      $0.options.activity = nil
    }
  }

  /// Waits until these calls have succeeded, and then sends the request. If one fails, this request fails
  /// with `RequestError(.dependencyFailed)`, which names the call and the reason. Calls must exist before the
  /// request that waits for them, so cycles cannot occur.
  public func after(_ calls: Call...) -> Request { after(calls) }

  /// Waits until these calls have succeeded, and then sends the request.
  public func after(_ calls: some Sequence<Call>) -> Request {
    with { $0.options.dependencies += calls }
  }

  /// Ignores the request if the same one was sent shortly before: it then fails at once, with
  /// `RequestError(.ignoredRepeat)`. Use it for a button that may be tapped twice.
  /// - Parameters:
  ///   - interval: How long after a request was sent the same requests are ignored. Default: 3 s.
  ///   - untilFailed: True if the interval ends early when the request fails. It always ends early if the
  ///     request certainly did not reach the server. Default: false.
  ///   - key: The key that makes requests the same. Default: method, URL (its query in any order), body.
  ///   - fields: Names of header fields that must be the same as well. Credentials must always be the same.
  public func ignoringRepeats(
    within interval: Duration = .seconds(3), untilFailed: Bool = false, key: RequestKey? = nil,
    fields: [String] = []
  ) -> Request {
    with {
      $0.options.repeats = .ignoring(within: interval, untilFailed: untilFailed, key: key, fields: fields)
    }
  }

  /// Shares one request and its response with all callers that send the same request while it is in flight,
  /// or within a window from its beginning. Each caller has its own progress and can be cancelled alone. When
  /// the last one is cancelled, the shared request is, too (see `whenAbandoned`). Only `send` and `start` can
  /// share.
  ///
  /// Requests share only if they agree on identity, time-outs, retries, redirects, memory limit, HTTP version
  /// and the rule of the response cache, as far as they set them. Accepted statuses, checks, deadline and
  /// priority are applied to each caller: a response that the first caller rejects still reaches a caller
  /// that accepts it.
  /// - Parameters:
  ///   - window: How long, from the request's beginning, later callers get its response. Default: zero, only
  ///     until the request has ended.
  ///   - failures: Whether a caller within the window, after a failure, gets that failure or sends a new
  ///     request.
  ///   - whenAbandoned: Whether the request is cancelled when all waiting callers have left.
  ///   - key: The key that makes requests the same, besides their header fields. Default: method, URL (its
  ///     query in any order), body.
  ///   - fields: Names of header fields that must be the same as well, among those that are otherwise ignored
  ///     (see `RepeatRule`).
  public func shared(
    within window: Duration = .zero, failures: SharingPolicy.Failures = .replayed,
    whenAbandoned: SharingPolicy.Abandonment = .cancelled, key: RequestKey? = nil, fields: [String] = []
  ) -> Request {
    let policy = SharingPolicy(window: window, failures: failures, whenAbandoned: whenAbandoned)
    return with { $0.options.repeats = .sharing(policy, key: key, fields: fields) }
  }

  /// Makes the request the newest with this key: it cancels the previous one, which then gets no response,
  /// even if the bytes have arrived. Use it for search as you type.
  /// - Parameter key: The key that makes requests the same. Default: method, URL (its query in any order),
  ///   body.
  public func latest(_ key: RequestKey? = nil) -> Request { with { $0.options.repeats = .latest(key) } }

  /// Stores the response in the client's response cache, and may return a cached response. Only `send`,
  /// `start` and `responses(to:)` use the cache.
  ///
  /// A response with the status 429 or 5xx is not cached, whatever the request accepts. It is also not
  /// cached if it, or the request, says `Cache-Control: no-store`.
  /// - Parameters:
  ///   - name: The name of the cached response, for requests with the same header fields (see
  ///     `CachePartition`). Two users never share a response, whatever the name.
  ///   - policy: When the cached response is returned. Default: `first`.
  public func cached(as name: String, _ policy: CachePolicy = .first) -> Request {
    with { $0.options.caching = CacheRule(name, policy) }
  }

  /// Uses the client's cache by HTTP's rules (RFC 9111): as the server's `Cache-Control`, `Expires`, `Vary`, `ETag` and
  /// `Last-Modified` say. With a client whose cache is ``ResponseCache/http(_:finishesAbandonedStreams:)``, every request does so.
  ///
  /// ```swift
  /// let prices = try await client.send(.get(pricesURL).cached())
  /// let now = try await client.send(.get(pricesURL).cached(.revalidate))
  /// ```
  /// - Parameter directives: The request's wishes, which are added to its `Cache-Control`. Default: none.
  public func cached(_ directives: CacheDirective...) -> Request {
    with { request in
      request.options.usesHTTPCache = true
      let texts = request.fields.values(of: "Cache-Control") + directives.map(\.text)
      if !directives.isEmpty { request.fields.set("Cache-Control", texts.joined(separator: ", ")) }
    }
  }
}
