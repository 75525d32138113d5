import ErrandCore

extension InterceptorChain {
  /// Sends a request twice at once, and returns the response to the first.
  func twice(_ request: Request) async throws -> Response {
    async let second = self(request)
    let first = try await self(request)
    _ = try? await second
    return first
  }
}
