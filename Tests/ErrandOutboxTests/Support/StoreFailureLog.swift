import ErrandCore
import ErrandOutbox

/// What an outbox has complained of.
final class StoreFailureLog: Sendable {
  private let failures = Locked<[OutboxError]>([])

  var codes: [OutboxError.Code] { failures.withLock { $0.map(\.code) } }

  @Sendable func add(_ error: any Error) {
    guard let error = error as? OutboxError else { return }
    failures.withLock { $0.append(error) }
  }

  /// Returns when there is one.
  func waitForFailure() async throws {
    while codes.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
  }
}
