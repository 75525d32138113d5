/// What belongs to one call, from its beginning to its end.
final class Run: Sendable {
  let call = Call()
  let destination: Destination
  let progress: ProgressReporter?
  /// When it began, on the client's timeline.
  let started: Duration
  private let atEnd: Locked<[@Sendable () -> Void]>

  init(destination: Destination, progress: ProgressReporter?, started: Duration) {
    self.destination = destination
    self.progress = progress
    self.started = started
    atEnd = Locked([])
  }

  /// Adds what is to be done once nothing of the call is left.
  func whenOver(_ action: @escaping @Sendable () -> Void) {
    atEnd.withLock { $0.append(action) }
  }

  /// Nothing of the call is left: of a stream, after its last byte. More than once does nothing.
  func end() {
    let actions = atEnd.withLock { actions in
      defer { actions = [] }
      return actions
    }
    for action in actions { action() }
  }
}
