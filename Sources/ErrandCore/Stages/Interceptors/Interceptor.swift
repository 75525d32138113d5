/// Sees requests on their way out and responses on their way back. Put it around the call
/// (`ClientConfiguration.interceptors`: once, whatever happens inside) or around each attempt
/// (`attemptInterceptors`: once per attempt, closest to the network).
///
/// ```swift
/// struct Language: Interceptor {
///   func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
///     try await next(request.field("Accept-Language", "de"))
///   }
/// }
/// ```
///
/// An interceptor may change the request, return a response of its own, throw, or call `next` more than once
/// (around a download, one after the other), and send requests of its own: an attempt holds a slot
/// (`ConcurrencyLimits`) only inside of `next`. A call that is cancelled, or whose deadline has passed, does
/// not wait for its interceptors: their task is cancelled, and what they return after that is discarded.
///
/// An interceptor that changes the request's origin leaves behind what was made for the other: the credential of the
/// client, and the request's own signer. The new origin gets a credential if it is in the credential's list. Fields that
/// the caller or an interceptor has set go along.
///
/// A request that an interceptor sends through its own client passes the interceptor itself. Requests that are
/// sent within one another, more than 10 deep, fail with `RequestError(.unsupported)`: send such a request
/// through a client without the interceptor.
///
/// A shared request (`Request.shared`) that an interceptor sends is sent alone if sharing would make it wait
/// for itself. A detached task is not linked to its request; a shared request that such a task has joined
/// fails when interceptors have held it for 300 s.
public protocol Interceptor: Sendable {
  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response
}

/// The rest of the interceptor chain.
public struct InterceptorChain: Sendable {
  /// The number of this attempt, from 1; 0 around the call.
  public let attempt: Int
  private let interceptors: ArraySlice<any Interceptor>
  private let completion: RequestCompletion
  private let context: CallContext
  private let last: @Sendable (Request) async throws -> Response

  init(
    attempt: Int, interceptors: ArraySlice<any Interceptor>, completion: RequestCompletion,
    context: CallContext, last: @escaping @Sendable (Request) async throws -> Response
  ) {
    self.attempt = attempt
    self.interceptors = interceptors
    self.completion = completion
    self.context = context
    self.last = last
  }

  /// The error with which the call has ended early: `cancelled`, with its reason, or `deadlineExceeded`; nil
  /// while it goes on. Both cancel the interceptor's task, and what it waits for throws `CancellationError`:
  /// this property tells the two apart.
  public var stopped: RequestError? { context.cancellation.failure(attempts: attempt) }

  /// Passes the request on and returns the response. A relative URL and a JSON body may be passed on, too: the
  /// next interceptor sees the whole URL and the encoded body.
  ///
  /// A response is validated before an interceptor sees it: one whose status, content type or shape the
  /// request does not accept is thrown as `RequestError(.rejected)`, with its `status`, `fields` and
  /// `bodyPrefix`. An attempt interceptor that refreshes a token therefore catches an error whose status is
  /// 401. To be given every response instead, pass `request.acceptingAnyStatus()` on; the statuses are then
  /// the interceptor's to judge, and none of them is retried.
  /// - Throws: `RequestError`, with the request and the attempt it is about: around each attempt the failure
  ///   of that attempt, around the call the failure that is left when all attempts are used. If the call has
  ///   been cancelled, or its deadline has passed, that error (`stopped`). An interceptor closer to the
  ///   network may throw errors of its own; they pass unchanged.
  public func callAsFunction(_ request: Request) async throws -> Response {
    // The interceptor before may have made another request.
    let request = completion.completed(request)
    guard let first = interceptors.first else { return try await last(request) }
    return try await first.intercept(
      request,
      next: InterceptorChain(
        attempt: attempt, interceptors: interceptors.dropFirst(), completion: completion, context: context,
        last: last))
  }
}
