extension Client {
  /// What is kept of a request with `kept(as:_:)`, and then what the network says, in this order; only the latter if nothing
  /// is kept. The network is asked at once, and the request called off when the sequence is let go.
  ///
  /// ```swift
  /// for try await feed in client.answers(to: .get(feedURL).kept(as: "feed")) { show(feed) }
  /// ```
  /// - Parameter scope: What it ends with.
  public func answers(to request: Request, in scope: RequestScope? = nil) -> KeptAnswers {
    KeptAnswers(request: request, client: self, scope: scope)
  }

  /// What is kept of a request with `kept(as:_:)` for whoever sends it now, or nil. All that is kept, for everybody, is in
  /// `ClientConfiguration.answers`: its store can be listed and cleared.
  public func keptAnswer(to request: Request) async throws -> Response? {
    guard let rule = request.options.keeping else { return nil }
    let user = pipeline.configuration.identity?()
    let ready = try pipeline.ready(request)
    return await StopSignal.ofTask {
      await pipeline.keptAnswer(to: ready, rule, of: user, unless: $0)?.response
    }
  }

  /// Forgets what is kept of a request with `kept(as:_:)` for whoever sends it now.
  /// - Throws: What the store says if it cannot.
  public func removeKeptAnswer(to request: Request) async throws {
    guard let rule = request.options.keeping else { return }
    let user = pipeline.configuration.identity?()
    let ready = try pipeline.ready(request)
    try await StopSignal.ofTask { try await pipeline.removeKeptAnswer(to: ready, rule, of: user, unless: $0) }
  }
}
