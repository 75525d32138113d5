import ErrandTesting

@testable import ErrandCore

/// Sends another request through the same client before it passes on a request to `path`.
final class SendsBefore: Interceptor {
  let client = Locked<Client?>(nil)
  /// Opened when a request to `path` has reached this interceptor.
  let reached = StubGate()
  /// Must be opened before the other request is sent.
  let gate = StubGate()
  private let path: String
  private let other: @Sendable () -> Request

  init(_ path: String, _ other: @escaping @Sendable () -> Request) {
    self.path = path
    self.other = other
  }

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    if request.path == path {
      reached.open()
      try await gate.pass()
      try await client.withLock { $0 }?.send(other())
    }
    return try await next(request)
  }
}
