import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An interceptor with a deliberate defect.
struct OutboxSpoiling: Interceptor {
  let defect: OutboxDefect
  let clock: ProcessClock

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    switch defect {
    case .deliversUnseen:
      guard let url = request.url else { return try await next(request) }
      return Response(status: 200, data: Data("done: ".utf8), url: url)
    case .sendsTwice:
      return try await next.twice(request)
    case .changesKeys:
      return try await next(request.field("Idempotency-Key", "\"\(clock.now.offset)\""))
    case .sendsLate:
      try? await clock.sleep(for: .seconds(40))
      return try await next(request)
    case .believesPortals, .takesHalves:
      guard let url = request.url else { return try await next(request) }
      let page = Response(status: 200, data: Data("done".utf8), url: url)
      do {
        let response = try await next(request)
        let isPortal = response.status.isRedirect || response.url.host() == OutboxHost.portal
        return defect == .believesPortals && isPortal ? page : response
      } catch let error as RequestError {
        let isPortal = error.status?.isRedirect ?? false
        let isHalf = error.code == .connectionLost && error.reachedServer
        guard defect == .believesPortals ? isPortal : isHalf else { throw error }
        return page
      }
    default: return try await next(request)
    }
  }
}
