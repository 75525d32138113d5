import ErrandCore

/// Tells of each try, and takes any status as the answer when no other try can follow: its body is shown whole then,
/// where an error carries only the first part.
struct TryObserver: Interceptor {
  let lastTry: Int
  let takesAnyStatus: Bool
  /// Nil for silence.
  let console: Console?

  func intercept(_ request: Request, next: Next) async throws -> Response {
    let mayRepeat = request.method.isIdempotent || request.fields.contains("Idempotency-Key")
    let isLast = next.attempt >= lastTry || !mayRepeat || !request.body.isReplayable
    console?.say("* try \(next.attempt): \(request)")
    do {
      return try await next(takesAnyStatus && isLast ? request.acceptingAnyStatus() : request)
    } catch let error as RequestError {
      console?.say("* try \(next.attempt): \(error.message)")
      throw error
    }
  }
}
