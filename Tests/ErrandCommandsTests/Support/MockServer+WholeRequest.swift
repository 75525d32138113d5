import ErrandTesting

extension MockServer {
  /// Waits until the first request is here with its body: its handler is called then, and not before.
  func waitForWholeRequest() async throws {
    try await wait(for: "a whole request") { $0.requests.first?.isComplete ?? false }
  }
}
