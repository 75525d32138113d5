import ErrandCore

/// Proves that a request is stored, and reports what happens to it. Releasing the receipt changes nothing for
/// the request.
public final class Receipt: Sendable, Identifiable {
  public let id: OutboxID
  /// False if a request with this id was there already: then nothing was stored, and this receipt is for that
  /// request.
  public let isNew: Bool
  private let log: EventLog
  private let outbox: Outbox

  /// - Parameter log: Held for this receipt, which releases it.
  init(_ id: OutboxID, _ log: EventLog, _ outbox: Outbox, isNew: Bool) {
    self.id = id
    self.isNew = isNew
    self.log = log
    self.outbox = outbox
  }

  deinit { outbox.hub.release(id) }

  /// A stream of the steps of the request from the making of this receipt to its end: all steps of this
  /// process, and those of others that this one learns of, which may miss the beginnings of their attempts.
  /// Each stream has all steps that are known; of more than 100, the first ones are forgotten. It ends with
  /// the last step, or when the outbox is closed. If a dead letter or an expired request is retried by hand,
  /// streams that are requested after that have those steps, too.
  public var events: AsyncStream<OutboxEvent> { log.events }

  /// Waits until the request is delivered, a dead letter, expired or dropped. Without a network that may take
  /// long.
  /// - Throws: `CancellationError` if the task is cancelled, `OutboxError.closed` if the outbox is closed
  ///   first. Neither changes anything for the request. `OutboxError.forgotten` if the request was over, and
  ///   another process has forgotten its outcome.
  public func outcome() async throws -> OutboxOutcome {
    while let outcome = await nextOutcome() {
      guard outcome.mayBeUndone else { return outcome }
      // Any process may have retried the request since.
      let steps = log.steps
      await outbox.hub.catchUp(on: outbox.hub.followed([id]))
      if log.steps == steps { return outcome }
    }
    try Task.checkCancellation()
    if log.isForgotten {
      throw OutboxError(
        .forgotten, "request \(id) is over, but another process has forgotten how before it was heard here")
    }
    throw OutboxError(
      .closed, "the outbox was closed before request \(id) was over; it is stored, and goes on later")
  }

  private func nextOutcome() async -> OutboxOutcome? {
    for await event in log.eventsOfLife {
      if let outcome = event.outcome { return outcome }
    }
    return nil
  }

  /// Returns what is known of the request now; nil if that was forgotten.
  public func status() async throws -> OutboxEntry? { try await outbox.status(of: id) }
}
