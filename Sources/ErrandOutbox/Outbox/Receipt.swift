import ErrandCore

/// Says that a request is stored, and tells what becomes of it. Letting go of it changes nothing for the request.
public final class Receipt: Sendable, Identifiable {
  public let id: OutboxID
  /// False if a request with this name was there already: then nothing was stored, and this receipt is about that one.
  public let isNew: Bool
  private let track: Track
  private let outbox: Outbox

  /// - Parameter track: Held for this receipt, which lets go of it.
  init(_ id: OutboxID, _ track: Track, _ outbox: Outbox, isNew: Bool) {
    self.id = id
    self.isNew = isNew
    self.track = track
    self.outbox = outbox
  }

  deinit { outbox.feedback.release(id) }

  /// Every step from when this receipt was made to the end of the request, in whichever process it happened. Each who asks
  /// sees all of them. Ends with the last step, or when the outbox is closed. If what was set aside or has expired is tried
  /// again by hand, who asks after that sees those steps, too.
  public var events: AsyncStream<OutboxEvent> { track.events }

  /// Waits until it is delivered, set aside, expired or dropped: that may take as long as it takes to have a network again.
  /// - Throws: `CancellationError` if the task is cancelled, `OutboxError.closed` if the outbox is closed first. Neither
  ///   changes anything for the request. `OutboxError.forgotten` if it was over, and another process has forgotten how.
  public func outcome() async throws -> OutboxOutcome {
    while let outcome = await nextOutcome() {
      guard outcome.mayBeUndone else { return outcome }
      // It may have been tried again since, by any process.
      let steps = track.steps
      await outbox.desk.look(at: outbox.feedback.followed([id]))
      if track.steps == steps { return outcome }
    }
    try Task.checkCancellation()
    if track.isForgotten {
      throw OutboxError(
        .forgotten, "request \(id) is over, but another process has forgotten how before it was heard here")
    }
    throw OutboxError(
      .closed, "the outbox was closed before request \(id) was over; it is stored, and goes on later")
  }

  private func nextOutcome() async -> OutboxOutcome? {
    for await event in track.eventsOfLife {
      if let outcome = event.outcome { return outcome }
    }
    return nil
  }

  /// What is known of it now; nil if that has been forgotten.
  public func status() async throws -> OutboxEntry? { try await outbox.status(of: id) }
}
