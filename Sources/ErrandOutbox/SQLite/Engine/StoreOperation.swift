/// Something to do on the tables, and whoever waits for it. It is carried out on the store's thread, and its outcome is told
/// when it is durable.
// Safe to share: it is handed on, and whoever has it is the only one to touch it.
class StoreOperation: @unchecked Sendable {
  /// True if it needs a transaction.
  let isWrite: Bool
  /// Why it failed, if it did.
  fileprivate(set) final var failure: (any Error)?

  fileprivate init(isWrite: Bool) { self.isWrite = isWrite }

  /// Carries it out, and keeps the outcome to itself.
  func perform(on tables: OutboxTables) {}

  /// What it did was undone, or it was never begun.
  final func fail(_ error: any Error) { failure = error }

  /// Tells the outcome. Once only.
  func settle() {}
}

// Safe to share: as its superclass.
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
    do { value = try body(tables) } catch { failure = error }
  }

  override func settle() {
    if let value, failure == nil { return receive(.success(value)) }
    receive(.failure(failure ?? OutboxError(.closed, "the outbox is closed")))
  }
}
