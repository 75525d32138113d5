import ErrandTesting

extension MockServer {
  /// Waits until the first request has arrived with its body. Its handler is called then, and not before.
  func waitForWholeRequest() async throws {
    try await wait(for: "a complete request") { $0.requests.first?.isComplete ?? false }
  }
}
