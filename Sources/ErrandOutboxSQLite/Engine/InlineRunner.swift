import ErrandCore

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

  func submit(_ operation: StoreOperation) {
    let (replies, hasNews) = session.withLock { session in
      guard let session else { return ([operation.refuse], false) }
      var replies: [StoreOperation.Reply] = []
      session.perform([operation]) { replies.append($0) }
      session.tidyUp()
      return (replies, session.takeNews())
    }
    for reply in replies { reply() }
    if hasNews { notifier.ring() }
  }

  func close(isGraceful: Bool, _ done: @escaping @Sendable () -> Void) {
    session.withLock { $0.take() }?.close(isGraceful: isGraceful)
    done()
  }
}
