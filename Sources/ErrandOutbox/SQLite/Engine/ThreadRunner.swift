import CSQLite
import ErrandCore

/// Carries operations out on a thread of its own, so that nobody's thread waits for the disk. What has come while one
/// transaction was being written goes into the next one together.
final class ThreadRunner: StoreRunner {
  private let inbox: OperationInbox
  let doorbell: any Doorbell

  private init(_ inbox: OperationInbox, _ doorbell: any Doorbell) {
    self.inbox = inbox
    self.doorbell = doorbell
  }

  /// Starts the thread, and makes the session on it.
  static func start(_ makeSession: @escaping @Sendable () throws -> StoreSession) async throws -> ThreadRunner
  {
    let inbox = OperationInbox()
    let doorbell: any Doorbell = try await withCheckedThrowingContinuation { continuation in
      let isStarted = SystemThread.start {
        errand_name_store_thread("errand.outbox")
        do {
          let session = try makeSession()
          continuation.resume(returning: session.doorbell)
          run(session, inbox)
        } catch {
          continuation.resume(throwing: error)
        }
      }
      if !isStarted {
        continuation.resume(throwing: OutboxError(.failed, "the system has no thread left for the outbox"))
      }
    }
    return ThreadRunner(inbox, doorbell)
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
