import ErrandCore
import ErrandTesting

/// An interceptor that takes time, like users' code does.
struct Loitering: Interceptor {
  static let pause = Duration.milliseconds(3)

  let clock: VirtualClock

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    await Task.yield()
    try await clock.sleep(for: Self.pause)
    let response = try await next(request)
    await Task.yield()
    return response
  }
}
