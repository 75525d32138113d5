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
    let user = pipeline.configuration.identity?()
    let ready = try pipeline.ready(request)
    return await CancellationToken.ofTask {
      await pipeline.cachedResponse(to: ready, rule, of: user, unless: $0)?.response
    }
  }

  /// Removes the cached response of a request with `cached(as:_:)`, for the client's present identity.
  /// - Throws: The store's error, if it fails.
  public func removeCachedResponse(to request: Request) async throws {
    guard let rule = request.options.caching else { return }
    let user = pipeline.configuration.identity?()
    let ready = try pipeline.ready(request)
    try await CancellationToken.ofTask {
      try await pipeline.removeCachedResponse(to: ready, rule, of: user, unless: $0)
    }
  }
}
