import ErrandCore
import ErrandOutbox

/// Runs a store's operations.
protocol StoreRunner: Sendable {
  /// Notifies other stores of changes, and listens to them.
  var notifier: any ChangeNotifier { get }
  var owners: any LivenessRegistry { get }

  /// Runs an operation, which delivers its outcome when the outcome is durable.
  /// - Returns: False if the runner is closed. The operation is then not used.
  func accept(_ operation: StoreOperation) -> Bool

  /// Finishes the submitted operations and ends. Then calls `done`.
  /// - Parameter isGraceful: False to end as if the process had crashed, without returning the claims.
  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void)
}

extension StoreRunner {
  /// Runs an operation, or refuses it if the runner is closed.
  func submit(_ operation: StoreOperation) {
    if !accept(operation) { operation.refuse() }
  }

  /// Runs an operation in a write transaction.
  /// - Parameter newRows: The number of requests that the operation adds.
  func write<Value: Sendable>(
    newRows: Int = 0, _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await run(isWrite: true, newRows: newRows, body)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await run(isWrite: false, body)
  }

  private func run<Value: Sendable>(
    isWrite: Bool, newRows: Int = 0, _ body: @escaping @Sendable (OutboxTables) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(StoreOperation(isWrite: isWrite, newRows: newRows, body) { continuation.resume(with: $0) })
    }
  }
}

/// An operation on the tables. It runs on the store's thread, and its caller receives the outcome when the
/// outcome is durable.
struct StoreOperation: Sendable {
  /// Reports the outcome to the caller. Call it once.
  typealias Reply = @Sendable () -> Void

  /// True if the operation needs a write transaction.
  let isWrite: Bool
  /// The number of requests that the operation adds. New requests leave some disk space to deliveries.
  let newRows: Int
  /// Runs the operation. It is called again if its changes were undone.
  /// - Returns: The reply to the caller, to be called when the changes are durable.
  let run: @Sendable (OutboxTables) throws -> Reply
  private let receive: @Sendable (any Error) -> Void

  /// Creates an operation.
  /// - Parameter receive: Called with the outcome, once.
  init<Value: Sendable>(
    isWrite: Bool, newRows: Int = 0, _ body: @escaping @Sendable (OutboxTables) throws -> Value,
    receive: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    (self.isWrite, self.newRows) = (isWrite, newRows)
    run = { tables in
      let value = try body(tables)
      return { receive(.success(value)) }
    }
    self.receive = { receive(.failure($0)) }
  }

  private init(
    isWrite: Bool, newRows: Int, run: @escaping @Sendable (OutboxTables) throws -> Reply,
    receive: @escaping @Sendable (any Error) -> Void
  ) {
    (self.isWrite, self.newRows, self.run, self.receive) = (isWrite, newRows, run, receive)
  }

  /// Returns the operation with its replies passed to `reply`, which has to call them.
  func replying(through reply: @escaping @Sendable (@escaping Reply) -> Void) -> StoreOperation {
    StoreOperation(
      isWrite: isWrite, newRows: newRows,
      run: { [run] tables in
        let outcome = try run(tables)
        return { reply(outcome) }
      }, receive: { [receive] error in reply { receive(error) } })
  }

  /// Returns the reply of an operation whose changes were undone, or that never ran.
  func failure(_ error: any Error) -> Reply {
    { [receive] in receive(error) }
  }

  /// Reports to the caller that the store is closed.
  func refuse() { receive(OutboxError(.closed, "the outbox is closed")) }
}

/// Runs each operation at once, on the caller's thread, so that a simulation uses no other thread.
final class InlineRunner: StoreRunner {
  /// Nil once the runner is closed.
  private let session: Locked<StoreSession?>
  let notifier: any ChangeNotifier
  let owners: any LivenessRegistry

  init(_ session: sending StoreSession) {
    notifier = session.notifier
    owners = session.tables.owners
    self.session = Locked(session)
  }

  func accept(_ operation: StoreOperation) -> Bool {
    let done: (replies: [StoreOperation.Reply], hasNews: Bool)? = session.withLock { session in
      guard let session else { return nil }
      var replies: [StoreOperation.Reply] = []
      session.perform([operation]) { replies.append($0) }
      session.tidyUp()
      return (replies, session.takeNews())
    }
    guard let done else { return false }
    for reply in done.replies { reply() }
    if done.hasNews { notifier.ring() }
    return true
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    session.withLock { $0.take() }?.close(isGraceful: isGraceful)
    done()
  }
}

/// A counter that any thread may increment.
package final class Counter: Sendable {
  private let count = Locked(0)

  package init() {}

  package var value: Int { count.withLock { $0 } }

  func add() { count.withLock { $0 += 1 } }
}
