import ErrandOutbox

/// An operation on the tables. It runs on the store's thread, and its caller receives the outcome when that
/// is durable.
// Safe to share: only one thread at a time has the operation.
class StoreOperation: @unchecked Sendable {
  /// True if it needs a write transaction.
  let isWrite: Bool
  /// The error, if the operation failed.
  fileprivate(set) final var failure: (any Error)?

  fileprivate init(isWrite: Bool) { self.isWrite = isWrite }

  /// Runs the operation and stores the outcome. Called again if its changes were undone.
  func perform(on tables: OutboxTables) {}

  /// Marks the operation as failed: its changes were undone, or it never ran.
  final func fail(_ error: any Error) { failure = error }

  /// Delivers the outcome to the caller. Must be called once.
  func settle() {}
}

// Safe to share: only one thread at a time has the operation.
final class TypedOperation<Value: Sendable>: StoreOperation, @unchecked Sendable {
  private let body: (OutboxTables) throws -> Value
  private let receive: (Result<Value, any Error>) -> Void
  private var value: Value?

  init(
    isWrite: Bool, _ body: @escaping (OutboxTables) throws -> Value,
    receive: @escaping (Result<Value, any Error>) -> Void
  ) {
    self.body = body
    self.receive = receive
    super.init(isWrite: isWrite)
  }

  override func perform(on tables: OutboxTables) {
    do {
      value = try body(tables)
      failure = nil
    } catch {
      failure = error
    }
  }

  override func settle() {
    if let value, failure == nil { return receive(.success(value)) }
    receive(.failure(failure ?? OutboxError(.closed, "the outbox is closed")))
  }
}
