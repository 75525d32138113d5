/// Sees requests on their way out and responses on their way back. Put it around the call
/// (`ClientConfiguration.interceptors`), where it runs once, whatever happens inside. Or put it around each
/// attempt (`attemptInterceptors`), where it runs once per attempt, closest to the network.
///
/// ```swift
/// struct Language: Interceptor {
///   func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
///     try await next(request.field("Accept-Language", "de"))
///   }
/// }
/// ```
///
/// An interceptor may change the request, return another response, throw, or call `next` more than once
/// (around a download, one call after the other). It may also send other requests: an attempt holds a slot
/// (`ConcurrencyLimits`) only inside of `next`. A call that is cancelled, or whose deadline has passed, does
/// not wait for its interceptors: their task is cancelled, and their later results are discarded.
///
/// If an interceptor changes the request's origin, the client's credential and the request's own signer do
/// not follow. The new origin gets a credential if it is in the credential's list. Fields that the caller or
/// an interceptor has set stay.
///
/// A request that an interceptor sends through its own client passes the interceptor, too. Requests that are
/// sent within one another, more than 10 deep, fail with `RequestError(.unsupported)`: send such a request
/// through a client without the interceptor.
///
/// A shared request (`Request.shared`) that an interceptor sends is sent alone if sharing would make it wait
/// for itself. A detached task is not linked to its request. A shared request that such a task has joined
/// fails after interceptors have held it for 300 s.
public protocol Interceptor: Sendable {
  /// Returns the response to a request, which is usually that of `next`.
  /// - Parameters:
  ///   - request: The request, with a complete URL and an encoded body.
  ///   - next: Passes a request on to the next interceptor, and finally to the network.
  /// - Throws: Any error. It becomes the error of the attempt or of the call.
  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response
}

/// The rest of the interceptor chain.
public struct InterceptorChain: Sendable {
  /// The number of this attempt, from 1; 0 around the call.
  public let attempt: Int
  private let interceptors: ArraySlice<any Interceptor>
  private let normalizer: RequestNormalizer
  private let context: CallContext
  private let last: @Sendable (Request) async throws -> Response

  init(
    attempt: Int, interceptors: ArraySlice<any Interceptor>, normalizer: RequestNormalizer,
    context: CallContext, last: @escaping @Sendable (Request) async throws -> Response
  ) {
    self.attempt = attempt
    self.interceptors = interceptors
    self.normalizer = normalizer
    self.context = context
    self.last = last
  }

  /// The error with which the call has ended early: `cancelled`, with its reason, or `deadlineExceeded`; nil
  /// while the call continues. Both cancel the interceptor's task, so that its waits throw
  /// `CancellationError`. This property tells the two apart.
  public var stopped: RequestError? { context.cancellation.failure(attempts: attempt) }

  /// Passes the request on and returns the response. The request may have a relative URL and a JSON body: the
  /// next interceptor sees the complete URL and the encoded body.
  ///
  /// A response is validated before an interceptor sees it. A response whose status, content type or shape
  /// the request does not accept is thrown as `RequestError(.rejected)`, with its `status`, `fields` and
  /// `bodyPrefix`. An attempt interceptor that refreshes a token therefore catches an error whose status is
  /// 401. To get every response instead, pass `request.acceptingAnyStatus()` on. The interceptor then decides
  /// about each status, and none of them is retried.
  /// - Throws: `RequestError`, with the request and the attempt that it is about. Around each attempt, it is
  ///   the failure of that attempt; around the call, the failure that remains after all attempts. If the call
  ///   has been cancelled, or its deadline has passed, it is that error (`stopped`). Other errors of
  ///   interceptors closer to the network pass unchanged.
  public func callAsFunction(_ request: Request) async throws -> Response {
    // The previous interceptor may have created another request.
    let request = normalizer.completed(request)
    guard let first = interceptors.first else { return try await last(request) }
    return try await first.intercept(
      request,
      next: InterceptorChain(
        attempt: attempt, interceptors: interceptors.dropFirst(), normalizer: normalizer, context: context,
        last: last))
  }
}
