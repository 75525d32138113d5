import ErrandTesting

extension MockServer {
  /// Waits until the body of the first request is here: its handler is called then, and not before.
  func waitForBody(_ text: String) async throws {
    try await wait(for: "the body \(text.debugDescription)") { $0.requests.first?.bodyBytes == text.utf8.count }
  }
}
