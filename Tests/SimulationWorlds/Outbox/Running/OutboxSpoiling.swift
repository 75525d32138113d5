import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An interceptor with a defect.
struct OutboxSpoiling: Interceptor {
  let defect: OutboxDefect
  let clock: ProcessClock

  func intercept(_ request: Request, next: Next) async throws -> Response {
    switch defect {
    case .deliversUnseen:
      guard let url = request.url else { return try await next(request) }
      return Response(status: 200, data: Data("done: ".utf8), url: url)
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
