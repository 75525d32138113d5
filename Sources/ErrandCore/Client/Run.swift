/// What belongs to one call, from its beginning to its end.
final class Run: Sendable {
  let call = Call()
  let destination: Destination
  let progress: ProgressReporter?
  /// When it began, on the client's timeline.
  let started: Duration
  private let inFlight: InFlight
  private let deadline = Locked<Task<Void, any Error>?>(nil)

  init(destination: Destination, progress: ProgressReporter?, started: Duration, inFlight: InFlight) {
    self.destination = destination
    self.progress = progress
    self.started = started
    self.inFlight = inFlight
  }

  /// Calls it off after a time, unless it has ended by then.
  func end(after limit: Duration, on timeline: Timeline) {
    let task = Task { [call] in
      try await timeline.sleep(limit)
      call.stop(.deadlineExceeded(limit))
    }
    deadline.withLock { $0 = task }
  }

  /// Nothing of the call is left: of a stream, after its last byte. More than once does nothing.
  func end() {
    inFlight.remove(call)
    deadline.withLock { $0 }?.cancel()
  }
}
