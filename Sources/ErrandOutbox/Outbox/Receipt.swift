public import ErrandCore

/// Shows that a request is stored, and reports its steps. Releasing the receipt does not change the request.
public final class Receipt: Sendable, Identifiable {
  /// The id of the request.
  public let id: OutboxID
  /// False if the outbox knew a request with this id already. Then nothing was stored, and this receipt is
  /// for the earlier request.
  public let isNew: Bool
  private let log: EventLog
  private let outbox: Outbox

  /// - Parameter log: The log of the request. This receipt has to release it.
  init(_ id: OutboxID, _ log: EventLog, _ outbox: Outbox, isNew: Bool) {
    self.id = id
    self.isNew = isNew
    self.log = log
    self.outbox = outbox
  }

  deinit { outbox.hub.release(id) }

  /// A stream of the steps of the request, from the creation of this receipt to the request's end. It has all
  /// steps of this process, and those of other processes that this one learns of: the beginnings of their
  /// attempts may be missing. Each stream begins with the known steps, but at most the last 100. It ends with
  /// the last step, or when the outbox is closed. If a dead letter or an expired request is retried by hand,
  /// streams that are requested after that have the new steps, too.
  public var events: AsyncStream<OutboxEvent> { log.events }

  /// A stream of the progress of the request's upload, if it resumes (``OutboxItem/resuming``), and empty otherwise. It
  /// begins with the progress that is known, also of an earlier launch, and ends with the request's last step. A slow
  /// consumer misses intermediate reports, and so does one in another process than the attempt's.
  public var progress: AsyncStream<TransferProgress> {
    let stream = log.progress
    if log.hasProgress { return stream }
    Task { [log, outbox, id] in
      guard let kept = try? await outbox.store.uploads(of: [id]).first ?? nil,
        let upload = outbox.storage.upload(kept, of: id)
      else { return }
      log.report(upload.progress, isEarlier: true)
    }
    return stream
  }

  /// Waits until the request is delivered, a dead letter, expired or dropped. Without a network that may take
  /// long.
  /// - Throws: `CancellationError` if the task is cancelled, `OutboxError.closed` if the outbox is closed
  ///   first. Neither changes the request. `OutboxError.forgotten` if the request ended, and another process
  ///   removed its record before this process read it.
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
        .forgotten,
        "request \(id) has ended, but its record was removed before this process could read the outcome")
    }
    throw OutboxError(
      .closed,
      "the outbox was closed before request \(id) ended; it is still stored, and is delivered when the outbox is open again"
    )
  }

  private func nextOutcome() async -> OutboxOutcome? {
    for await event in log.eventsOfLife {
      if let outcome = event.outcome { return outcome }
    }
    return nil
  }

  /// Returns the present entry of the request; nil if its record was removed.
  /// - Throws: `OutboxError`.
  public func status() async throws -> OutboxEntry? { try await outbox.status(of: id) }
}
