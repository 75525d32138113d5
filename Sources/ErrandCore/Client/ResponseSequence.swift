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
      case kept
      case refreshed(Refreshing)
      case end
    }

    private let client: Client
    private let request: Request
    private let scope: RequestScope?
    private var step = Step.kept

    fileprivate init(_ responses: ResponseSequence) {
      client = responses.client
      request = responses.request
      scope = responses.scope
    }

    public mutating func next() async throws -> Response? {
      switch step {
      case .kept:
        // Looked up before the network is asked, or it could be the network's own response.
        let isCancelled = scope?.isCancelled == true
        let kept = isCancelled ? nil : try await client.cachedResponse(to: request)
        var fresh = request
        fresh.options.caching?.policy = .networkOnly
        step = .refreshed(Refreshing(client.start(fresh, in: scope)))
        if let kept { return kept }
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
