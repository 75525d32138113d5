/// Sees requests on their way out and answers on their way back. Put it around the call
/// (`ClientConfiguration.interceptors`: once, whatever happens inside) or around each try
/// (`attemptInterceptors`: as often as it is tried, closest to the network).
///
/// ```swift
/// struct Language: Interceptor {
///   func intercept(_ request: Request, next: Next) async throws -> Response {
///     try await next(request.field("Accept-Language", "de"))
///   }
/// }
/// ```
///
/// It may change the request, answer by itself, throw, or call `next` more than once (around a download, one after the
/// other), and send requests of its own: a try holds a slot (`ConcurrencyLimits`) only inside of `next`. A call that is
/// called off, or whose deadline has passed, does not wait for it: its task is cancelled, and what it returns after that
/// goes nowhere.
///
/// What it sends shared (`Request.shared`) goes alone if sharing would make it wait for itself. A detached task does not know
/// whose it is; a shared request that such a one has joined fails when interceptors have had it in hand for 300 s.
public protocol Interceptor: Sendable {
  func intercept(_ request: Request, next: Next) async throws -> Response
}

/// The rest of the chain.
public struct Next: Sendable {
  /// Which try this is, from 1; 0 around the call.
  public let attempt: Int
  private let interceptors: ArraySlice<any Interceptor>
  private let run: Run
  private let last: @Sendable (Request) async throws -> Response

  init(
    attempt: Int, interceptors: ArraySlice<any Interceptor>, run: Run,
    last: @escaping @Sendable (Request) async throws -> Response
  ) {
    self.attempt = attempt
    self.interceptors = interceptors
    self.run = run
    self.last = last
  }

  /// Why nobody waits for the response any more, if that is so: `cancelled`, with its reason, or `deadlineExceeded`. Both
  /// cancel the interceptor's task, and what it waits for throws `CancellationError`: this says which it was.
  public var stopped: RequestError? { run.signal.stopped?.error(tries: attempt) }

  /// Passes the request on and returns what comes back.
  public func callAsFunction(_ request: Request) async throws -> Response {
    guard let first = interceptors.first else { return try await last(request) }
    return try await first.intercept(
      request, next: Next(attempt: attempt, interceptors: interceptors.dropFirst(), run: run, last: last))
  }
}
