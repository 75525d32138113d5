import ErrandOutbox

/// An operation on the tables. It runs on the store's thread, and its caller receives the outcome when that is
/// durable.
struct StoreOperation: Sendable {
  /// Tells the caller the outcome. Must be called once.
  typealias Reply = @Sendable () -> Void

  /// True if it needs a write transaction.
  let isWrite: Bool
  /// Runs the operation. Called again if its changes were undone.
  /// - Returns: The reply to the caller, for when the changes are durable.
  let run: @Sendable (OutboxTables) throws -> Reply
  private let receive: @Sendable (any Error) -> Void

  /// - Parameter receive: Called with the outcome, once.
  init<Value: Sendable>(
    isWrite: Bool, _ body: @escaping @Sendable (OutboxTables) throws -> Value,
    receive: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    self.isWrite = isWrite
    run = { tables in
      let value = try body(tables)
      return { receive(.success(value)) }
    }
    self.receive = { receive(.failure($0)) }
  }

  /// Returns the reply of an operation whose changes were undone, or that never ran.
  func failure(_ error: any Error) -> Reply {
    { [receive] in receive(error) }
  }

  /// Tells the caller that the store is closed.
  func refuse() { receive(OutboxError(.closed, "the outbox is closed")) }
}
