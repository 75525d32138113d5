/// Carries a store's operations out.
protocol StoreRunner: Sendable {
  /// Hears of what others do.
  var doorbell: any Doorbell { get }
  var owners: any OwnerRegistry { get }

  /// Tells the operation its outcome when that is durable.
  func submit(_ operation: StoreOperation)

  /// Does what was submitted, and ends. `done` is called then.
  /// - Parameter isGraceful: False to end as if the process had died: nothing is given back.
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
      submit(TypedOperation(isWrite: isWrite, body) { continuation.resume(with: $0) })
    }
  }
}
