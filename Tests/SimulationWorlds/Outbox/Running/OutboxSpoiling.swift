import ErrandCore
import ErrandTesting

/// An interceptor with a defect.
struct OutboxSpoiling: Interceptor {
  let defect: OutboxDefect
  let clock: ProcessClock

  func intercept(_ request: Request, next: Next) async throws -> Response {
    switch defect {
    case .sendsTwice:
      async let second = next(request)
      let first = try await next(request)
      _ = try? await second
      return first
    case .changesKeys:
      return try await next(request.field("Idempotency-Key", "\"\(clock.now.offset)\""))
    default: return try await next(request)
    }
  }
}
