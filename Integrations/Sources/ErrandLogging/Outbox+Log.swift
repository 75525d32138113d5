public import Errand
public import Logging

extension Outbox {
  /// Writes the problems of the outbox's requests to a logger, until the outbox is closed or the task is cancelled.
  ///
  /// A dead letter is an `error`, a request that expired a `warning`, a request that was dropped a `notice`, and a failed
  /// attempt that is repeated `info`. URLs and bodies are not written.
  public func log(to logger: Logger) async {
    for await event in events {
      var metadata: Logger.Metadata = ["errand.outbox.id": "\(event.id)"]
      metadata["errand.outbox.lane"] = event.lane.map { "\($0)" }
      switch event.step {
      case .deadLettered(let reason, let response):
        metadata["http.response.status_code"] = response.map { "\($0.status.code)" }
        logger.log(level: .error, "moved a request to the dead letters: \(reason)", metadata: metadata)
      case .expired: logger.log(level: .warning, "a stored request expired", metadata: metadata)
      case .dropped(let reason):
        logger.log(level: .notice, "dropped a stored request: \(reason)", metadata: metadata)
      case .failed(let reason, let next):
        metadata["errand.outbox.next"] = "\(next)"
        logger.log(level: .info, "an attempt of a stored request failed: \(reason)", metadata: metadata)
      case .stored, .attempting, .delivered: break
      }
    }
  }
}

extension OutboxConfiguration {
  /// Writes the failures of the outbox's store to a logger, as errors. It replaces `onStoreFailure`.
  public mutating func logStoreFailures(to logger: Logger) {
    onStoreFailure = { error in
      logger.log(level: .error, "the store of the outbox failed: \(error)")
    }
  }
}
