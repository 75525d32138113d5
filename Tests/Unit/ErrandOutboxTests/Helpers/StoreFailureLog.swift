import ErrandCore
import ErrandOutbox
import TestSupport

/// Collects the store failures that an outbox reports.
final class StoreFailureLog: Sendable {
  private let failures = Locked<[OutboxError]>([])

  var codes: [OutboxError.Code] { failures.withLock { $0.map(\.code) } }

  @Sendable func add(_ error: any Error) {
    guard let error = error as? OutboxError else { return }
    failures.withLock { $0.append(error) }
  }

  /// Returns as soon as there is a failure.
  func waitForFailure() async throws {
    try await waitUntil { !codes.isEmpty }
  }
}
