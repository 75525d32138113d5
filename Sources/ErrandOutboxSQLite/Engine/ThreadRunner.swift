import CSQLite
import ErrandCore
import ErrandOutbox

/// Runs operations on a thread of its own, so that no caller's thread waits for the disk. Operations that
/// arrive while a transaction is being written share the next one.
final class ThreadRunner: StoreRunner {
  private let inbox: OperationInbox
  let notifier: any ChangeNotifier
  let owners: any LivenessRegistry

  private init(_ inbox: OperationInbox, _ shared: Shared) {
    self.inbox = inbox
    notifier = shared.notifier
    owners = shared.owners
  }

  /// The parts of a session that other threads use while its thread works.
  private struct Shared: Sendable {
    let notifier: any ChangeNotifier
    let owners: any LivenessRegistry
  }

  /// Starts the thread, and creates the session on it.
  static func start(_ makeSession: @escaping @Sendable () throws -> StoreSession) async throws -> ThreadRunner
  {
    let inbox = OperationInbox()
    let shared: Shared = try await withCheckedThrowingContinuation { continuation in
      let isStarted = SystemThread.start {
        errand_name_store_thread("errand.outbox")
        do {
          let session = try makeSession()
          continuation.resume(returning: Shared(notifier: session.notifier, owners: session.tables.owners))
          run(session, inbox)
        } catch {
          continuation.resume(throwing: error)
        }
      }
      if !isStarted {
        continuation.resume(throwing: OutboxError(.failed, "the system has no thread left for the outbox"))
      }
    }
    return ThreadRunner(inbox, shared)
  }

  private static func run(_ session: StoreSession, _ inbox: OperationInbox) {
    var batch: [StoreOperation] = []
    while inbox.take(&batch) {
      session.perform(batch) { reply in reply() }
      batch.removeAll(keepingCapacity: true)
      if session.takeNews() { session.notifier.ring() }
      session.tidyUp()
    }
    session.close(isGraceful: inbox.isGraceful)
    for waiter in inbox.finish() { waiter() }
  }

  func submit(_ operation: StoreOperation) {
    if !inbox.put(operation) { operation.refuse() }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    inbox.close(isGraceful: isGraceful, done)
  }
}
