/// The cached response of a request, and then the network's. See `Client.responses(to:in:)`.
public struct ResponseSequence: AsyncSequence {
  public typealias Element = Response
  public typealias Failure = any Error

  let request: Request
  let client: Client
  let scope: RequestScope?

  /// Cancels the request when the iterator is released.
  private final class Refreshing: Sendable {
    let call: Call

    init(_ call: Call) { self.call = call }

    deinit { call.cancel(reason: .streamDropped) }
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
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

    public mutating func next() async throws -> Response? {
      switch step {
      case .cached:
        // Looked up before the network is asked, or it could be the network's own response.
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

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Client {
  /// Returns the cached response of a request with `cached(as:_:)`, and then the network's, in this order;
  /// only the latter if there is no cached one. The network is asked at once after that lookup, and the
  /// request is cancelled when the sequence's iterator is released.
  ///
  /// ```swift
  /// for try await feed in client.responses(to: .get(feedURL).cached(as: "feed")) { show(feed) }
  /// ```
  /// - Parameter scope: The scope that the request ends with.
  public func responses(to request: Request, in scope: RequestScope? = nil) -> ResponseSequence {
    ResponseSequence(request: request, client: self, scope: scope)
  }

  /// Returns the cached response of a request with `cached(as:_:)`, for the client's present identity; nil if
  /// there is none. The responses of all identities are in `ClientConfiguration.cache`, which can be listed
  /// and cleared.
  public func cachedResponse(to request: Request) async throws -> Response? {
    guard let rule = request.options.caching else { return nil }
    let ready = try pipeline.ready(pipeline.completed(request))
    // Without its store, the identity has no cached response that is known to be its own.
    try? await pipeline.authentication.prepare()
    let user = pipeline.cache.identity.present(ready, in: .caching)
    let cached = await CancellationToken.ofTask {
      await pipeline.cache.response(to: ready, rule, of: user, unless: $0)
    }
    let configuration = pipeline.configuration
    return cached?.response.handedOver(
      request.method, hiding: configuration.secrets, decoder: configuration.jsonDecoder)
  }

  /// Removes the cached response of a request with `cached(as:_:)`, for the client's present identity.
  /// - Throws: The error of the cache; or that of the credential's store, which names the identity.
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
