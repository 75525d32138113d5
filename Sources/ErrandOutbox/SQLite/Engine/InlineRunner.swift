import ErrandCore

/// Carries each operation out at once, on the thread of whoever asks, so that a simulation sees no other thread.
// Safe to share: `session` is touched under `lock` only.
final class InlineRunner: StoreRunner, @unchecked Sendable {
  private let lock = Locked(())
  private var session: StoreSession?
  let doorbell: any Doorbell
  let owners: any OwnerRegistry

  init(_ session: StoreSession) {
    self.session = session
    doorbell = session.doorbell
    owners = session.tables.owners
  }

  func submit(_ operation: StoreOperation) {
    let hasNews = lock.withLock { _ in
      guard let session else { return false }
      session.perform([operation]) { _ in }
      session.tidyUp()
      return session.takeNews()
    }
    operation.settle()
    if hasNews { doorbell.ring() }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    let session = lock.withLock { _ in
      defer { self.session = nil }
      return Handover(self.session)
    }
    session.value?.close(isGraceful: isGraceful)
    done()
  }

  // Safe to share: nobody else has it any more.
  private struct Handover: @unchecked Sendable {
    let value: StoreSession?
    init(_ value: StoreSession?) { self.value = value }
  }
}
