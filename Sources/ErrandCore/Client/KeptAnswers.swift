/// What is kept, and then what the network says. See `Client.answers(to:in:)`.
public struct KeptAnswers: AsyncSequence {
  public typealias Element = Response
  public typealias Failure = any Error

  let request: Request
  let client: Client
  let scope: RequestScope?

  /// Calls the request off when nobody wants its answer any more.
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

    fileprivate init(_ answers: KeptAnswers) {
      client = answers.client
      request = answers.request
      scope = answers.scope
    }

    public mutating func next() async throws -> Response? {
      switch step {
      case .kept:
        // Looked for before the network is asked, or it could be the network's own answer.
        let hasEnded = scope?.hasEnded == true
        let kept = hasEnded ? nil : try await client.keptAnswer(to: request)
        var fresh = request
        fresh.options.keeping?.policy = .networkOnly
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
