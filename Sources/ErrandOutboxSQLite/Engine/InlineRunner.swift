import ErrandCore

/// Runs each operation at once, on the caller's thread, so that a simulation uses no other thread.
// Safe to share: `session` is used under `lock` only.
final class InlineRunner: StoreRunner, @unchecked Sendable {
  private let lock = Locked(())
  private var session: StoreSession?
  let notifier: any ChangeNotifier
  let owners: any LivenessRegistry

  init(_ session: StoreSession) {
    self.session = session
    notifier = session.notifier
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
    if hasNews { notifier.ring() }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    let session = lock.withLock { _ in
      defer { self.session = nil }
      return Handover(self.session)
    }
    session.value?.close(isGraceful: isGraceful)
    done()
  }

  // Safe to share: the runner has given up its reference to the session.
  private struct Handover: @unchecked Sendable {
    let value: StoreSession?
    init(_ value: StoreSession?) { self.value = value }
  }
}
