import ErrandTesting

@testable import ErrandCore

/// Before a request to `path` goes on, sends another through the same client.
final class SendsBefore: Interceptor {
  let client = Locked<Client?>(nil)
  /// Opened when it has been reached.
  let reached = StubGate()
  /// Must be opened before it sends.
  let gate = StubGate()
  private let path: String
  private let other: @Sendable () -> Request

  init(_ path: String, _ other: @escaping @Sendable () -> Request) {
    self.path = path
    self.other = other
  }

  func intercept(_ request: Request, next: Next) async throws -> Response {
    if request.path == path {
      reached.open()
      try await gate.pass()
      try await client.withLock { $0 }?.send(other())
    }
    return try await next(request)
  }
}
