/// The cached response of a request, and then the server's. See `Client.responses(to:in:)`.
struct ResponseSequence: AsyncSequence {
  typealias Element = Response
  typealias Failure = any Error

  let request: Request
  let client: Client
  let scope: RequestScope?

  /// Cancels the request when the iterator is released.
  private final class Refreshing: Sendable {
    let call: Call

    init(_ call: Call) { self.call = call }

    deinit { call.cancel(reason: .streamDropped) }
  }

  /// Returns the cached response and the server's. The request is cancelled when the iterator is released.
  struct AsyncIterator: AsyncIteratorProtocol {
    private enum Step {
      case cached
      case refreshed(Refreshing)
      case end
    }

    private let client: Client
    private let request: Request
    private let scope: RequestScope?
    private var step = Step.cached

    fileprivate init(_ responses: ResponseSequence) {
      client = responses.client
      request = responses.request
      scope = responses.scope
    }

    mutating func next() async throws -> Response? {
      switch step {
      case .cached:
        // Looked up before the request is sent, because the cache could have its response otherwise.
        let isCancelled = scope?.isCancelled == true
        let cached = isCancelled ? nil : try await client.cachedResponse(to: request)
        var fresh = request
        fresh.options.caching?.policy = .networkOnly
        step = .refreshed(Refreshing(client.start(fresh, in: scope)))
        if let cached { return cached }
        return try await next()
      case .refreshed(let refreshing):
        step = .end
        return try await withTaskCancellationHandler {
          try await refreshing.call.value
        } onCancel: {
          refreshing.call.cancel(reason: .taskCancelled)
        }
      case .end: return nil
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Client {
  /// Returns the cached response of a request with `cached(as:_:)`, and then the server's. Without a cached
  /// response there is only the latter. The request is sent right after the lookup, and is cancelled when the
  /// sequence's iterator is released.
  ///
  /// ```swift
  /// for try await feed in client.responses(to: .get(feedURL).cached(as: "feed")) { show(feed) }
  /// ```
  /// - Parameter scope: The scope that the request ends with.
  /// - Returns: A sequence that throws `RequestError`, or the error that an interceptor threw.
  public func responses(
    to request: Request, in scope: RequestScope? = nil
  ) -> some AsyncSequence<Response, any Error> {
    ResponseSequence(request: request, client: self, scope: scope)
  }

  /// Returns the cached response of a request with `cached(as:_:)`, for the client's current identity; nil if
  /// it is not cached. `ClientConfiguration.cache` lists and clears the responses of all identities.
  public func cachedResponse(to request: Request) async throws -> Response? {
    guard let rule = request.options.caching else { return nil }
    let ready = try pipeline.ready(pipeline.completed(request))
    // If the credential's store fails, the identity is unknown and has no cached response.
    try? await pipeline.authentication.prepare()
    let user = pipeline.cache.identity.present(ready, in: .caching)
    let cached = await CancellationToken.ofTask {
      await pipeline.cache.response(to: ready, rule, of: user, unless: $0)
    }
    let configuration = pipeline.configuration
    return cached?.response.handedOver(
      request.method, hiding: configuration.secrets, decoder: configuration.jsonDecoder)
  }

  /// Removes the cached response of a request with `cached(as:_:)`, for the client's current identity.
  /// - Throws: The error of the cache, or of the credential's store, which knows the identity.
  public func removeCachedResponse(to request: Request) async throws {
    guard let rule = request.options.caching else { return }
    let ready = try pipeline.ready(pipeline.completed(request))
    try await pipeline.authentication.prepare()
    let user = pipeline.cache.identity.present(ready, in: .caching)
    try await CancellationToken.ofTask {
      try await pipeline.cache.removeResponse(to: ready, rule, of: user, unless: $0)
    }
  }
}
