/// Requests that pass every stage of a client, but are sent by something other than its transport.
extension Client {
  /// The result of `prepare`.
  package enum Prepared<Value: Sendable>: Sendable {
    /// The request was passed to `take`, which returned this value.
    case taken(Value)
    /// An interceptor returned a response, and nothing needs to be sent.
    case response(Response)
  }

  /// The policy for requests that do not set one.
  package var retryPolicy: RetryPolicy { pipeline.configuration.retry }

  /// Sends a request through every stage of this client, over another transport. Requests that the stages
  /// make, for example to refresh a credential, use the client's transport.
  package func send(_ request: Request, over transport: any Transport) async throws -> Response {
    try await pipeline.send(request, into: .memory, over: transport)
  }

  /// Prepares a request as every stage of this client does, with its credential and its signature, and passes
  /// it to `take` where the transport would send it. Stages and listeners see the call end as cancelled.
  /// - Throws: The reason why the request cannot be sent, or the error that `take` throws.
  package func prepare<Value: Sendable>(
    _ request: Request, _ take: @escaping @Sendable (Exchange) async throws -> Value
  ) async throws -> Prepared<Value> {
    let taking = TakingTransport(take)
    do {
      let response = try await send(request, over: taking)
      // An interceptor may have turned the error of the taken request into a response.
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

/// Passes the first request that it should send to `take`, and sends nothing.
private final class TakingTransport<Value: Sendable>: Transport {
  private let take: @Sendable (Exchange) async throws -> Value
  private let state = Locked<Result<Value, any Error>?>(nil)

  init(_ take: @escaping @Sendable (Exchange) async throws -> Value) { self.take = take }

  var result: Result<Value, any Error>? { state.withLock { $0 } }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    // An interceptor that sends again sends the same request, which was taken already.
    if result == nil {
      let taken: Result<Value, any Error>
      do { taken = .success(try await take(exchange)) } catch { taken = .failure(error) }
      state.withLock { $0 = taken }
    }
    throw RequestError(
      .other("a background session of the system sends it"), attempt: 0, reachedServer: true)
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
