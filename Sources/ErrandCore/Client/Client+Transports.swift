/// Requests that pass every stage of a client, and are sent by something else than its transport.
extension Client {
  /// The result of `prepare`.
  package enum Prepared<Value: Sendable>: Sendable {
    case taken(Value)
    /// An interceptor gave the response, and nothing is to be sent.
    case response(Response)
  }

  /// The policy of requests that have none of their own.
  package var retryPolicy: RetryPolicy { pipeline.configuration.retry }

  /// Sends a request through every stage of this client, over another transport. Requests that the stages send themselves,
  /// to refresh a credential, go over the client's own.
  package func send(_ request: Request, over transport: any Transport) async throws -> Response {
    try await pipeline.send(request, into: .memory, over: transport)
  }

  /// Prepares a request as every stage of this client does, with its credential and its signature, and gives it to `take`
  /// at the place where it would be sent. To the stages, and to those that listen, the call ends as a cancelled one.
  /// - Throws: Why the request cannot be sent, or what `take` throws.
  package func prepare<Value: Sendable>(
    _ request: Request, _ take: @escaping @Sendable (Exchange) async throws -> Value
  ) async throws -> Prepared<Value> {
    let taking = TakingTransport(take)
    do {
      let response = try await send(request, over: taking)
      // An interceptor may have made a response of the error with which it was taken.
      if case .success(let value)? = taking.result { return .taken(value) }
      return .response(response)
    } catch {
      switch taking.result {
      case .success(let value)?: return .taken(value)
      case .failure(let cause)?: throw cause
      case nil: throw error
      }
    }
  }
}

/// Gives the first request away that it is asked to send, and sends nothing.
private final class TakingTransport<Value: Sendable>: Transport {
  private let take: @Sendable (Exchange) async throws -> Value
  private let state = Locked<Result<Value, any Error>?>(nil)

  init(_ take: @escaping @Sendable (Exchange) async throws -> Value) { self.take = take }

  var result: Result<Value, any Error>? { state.withLock { $0 } }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    // An interceptor that sends again sends the same request, which is on its way.
    if result == nil {
      let taken: Result<Value, any Error>
      do { taken = .success(try await take(exchange)) } catch { taken = .failure(error) }
      state.withLock { $0 = taken }
    }
    throw RequestError(
      .other("it is sent by a background session of the system"), attempt: 0, reachedServer: true)
  }

  func shutdown() async {}
}

extension Request {
  /// Returns the response if the request's validator accepts it.
  package func validated(_ response: Response) throws -> Response {
    if let rejection = options.validator.rejection(of: response) { throw rejection.error(of: response) }
    return response
  }
}
