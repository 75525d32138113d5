import CSQLite
import ErrandCore

/// Carries operations out on a thread of its own, so that nobody's thread waits for the disk. What has come while one
/// transaction was being written goes into the next one together.
final class ThreadRunner: StoreRunner {
  private let inbox: OperationInbox
  let doorbell: any Doorbell
  let owners: any OwnerRegistry

  private init(_ inbox: OperationInbox, _ shared: Shared) {
    self.inbox = inbox
    doorbell = shared.doorbell
    owners = shared.owners
  }

  /// What of a session others use while its thread works.
  private struct Shared: Sendable {
    let doorbell: any Doorbell
    let owners: any OwnerRegistry
  }

  /// Starts the thread, and makes the session on it.
  static func start(_ makeSession: @escaping @Sendable () throws -> StoreSession) async throws -> ThreadRunner
  {
    let inbox = OperationInbox()
    let shared: Shared = try await withCheckedThrowingContinuation { continuation in
      let isStarted = SystemThread.start {
        errand_name_store_thread("errand.outbox")
        do {
          let session = try makeSession()
          continuation.resume(returning: Shared(doorbell: session.doorbell, owners: session.tables.owners))
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
      session.perform(batch) { $0.settle() }
      batch.removeAll(keepingCapacity: true)
      if session.takeNews() { session.doorbell.ring() }
      session.tidyUp()
    }
    session.close(isGraceful: inbox.isGraceful)
    for waiter in inbox.finish() { waiter() }
  }

  func submit(_ operation: StoreOperation) {
    if !inbox.put(operation) { operation.settle() }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    inbox.close(isGraceful: isGraceful, done)
  }
}
