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
/// It may change the request, answer by itself, throw, or call `next` more than once. What it sends through the same client
/// from around a try goes without a slot (`ConcurrencyLimits`), because that try has one already; so does a request that it
/// then shares or waits for.
public protocol Interceptor: Sendable {
  func intercept(_ request: Request, next: Next) async throws -> Response
}

/// The rest of the chain.
public struct Next: Sendable {
  /// Which try this is, from 1; 0 around the call.
  public let attempt: Int
  private let interceptors: ArraySlice<any Interceptor>
  private let last: @Sendable (Request) async throws -> Response

  init(
    attempt: Int, interceptors: ArraySlice<any Interceptor>,
    last: @escaping @Sendable (Request) async throws -> Response
  ) {
    self.attempt = attempt
    self.interceptors = interceptors
    self.last = last
  }

  /// Passes the request on and returns what comes back.
  public func callAsFunction(_ request: Request) async throws -> Response {
    guard let first = interceptors.first else { return try await last(request) }
    return try await first.intercept(
      request, next: Next(attempt: attempt, interceptors: interceptors.dropFirst(), last: last))
  }
}
