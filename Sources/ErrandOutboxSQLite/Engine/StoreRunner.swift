/// Runs a store's operations.
protocol StoreRunner: Sendable {
  /// Notifies other stores of changes, and listens to them.
  var notifier: any ChangeNotifier { get }
  var owners: any LivenessRegistry { get }

  /// Runs an operation, which delivers its outcome when that is durable.
  func submit(_ operation: StoreOperation)

  /// Finishes the submitted operations and ends; then calls `done`.
  /// - Parameter isGraceful: False to end as if the process had died, without returning the claims.
  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void)
}

extension StoreRunner {
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await run(isWrite: true, body)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await run(isWrite: false, body)
  }

  private func run<Value: Sendable>(
    isWrite: Bool, _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(StoreOperation(isWrite: isWrite, body) { continuation.resume(with: $0) })
    }
  }
}
