import ErrandCore

/// Reports each attempt, and accepts any status when no other attempt can follow: the response's body is
/// shown whole then, while an error carries only its first part.
struct AttemptObserver: Interceptor {
  let lastAttempt: Int
  let takesAnyStatus: Bool
  /// Nil to report nothing.
  let console: Console?

  func intercept(_ request: Request, next: Next) async throws -> Response {
    let mayRepeat = request.method.isIdempotent || request.fields.contains("Idempotency-Key")
    let isLast = next.attempt >= lastAttempt || !mayRepeat || !request.body.isReplayable
    console?.say("* attempt \(next.attempt): \(request)")
    do {
      return try await next(takesAnyStatus && isLast ? request.acceptingAnyStatus() : request)
    } catch let error as RequestError {
      console?.say("* attempt \(next.attempt): \(error.message)")
      throw error
    }
  }
}
