/// Calls the application's progress handler in a task of its own, one call at a time.
final class ProgressDelivery: Sendable {
  private struct State {
    var mailbox = ProgressMailbox()
    var delivery: Task<Void, Never>?
  }

  private let handler: ProgressHandler
  private let state = Locked(State())

  init(_ handler: @escaping ProgressHandler) { self.handler = handler }

  func post(_ progress: TransferProgress) {
    state.withLock { state in
      guard state.mailbox.post(progress) else { return }
      // Each delivery waits for the previous one, which is about to end.
      state.delivery = Task { [previous = state.delivery] in
        await previous?.value
        while let next = self.state.withLock({ $0.mailbox.next() }) { self.handler(next) }
      }
    }
  }

  /// Returns when everything posted so far has been delivered.
  func flush() async {
    await state.withLock { $0.delivery }?.value
  }
}
