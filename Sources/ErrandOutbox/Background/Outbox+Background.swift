extension Outbox {
  /// Delivers while the app is asleep, too: requests are handed over to a background session of the system.
  ///
  /// Nothing is handed over before the first call of `BackgroundDelivery.enterBackground` or `handleEvents`. Use one
  /// session for one folder.
  /// - Parameter session: On Apple's platforms a `SystemBackgroundSession`.
  /// - Returns: What to tell of the app's way from the foreground to the background and back. Keep it.
  /// - Throws: `OutboxError` if the store cannot hand requests over, as that of a fleet on PostgreSQL; if the outbox keeps
  ///   its bodies in no folder; or if it has a key, and `configuration.writesPlaintext` is false.
  public func deliverInBackground(
    _ session: any BackgroundSession, configuration: BackgroundConfiguration = BackgroundConfiguration()
  ) throws -> BackgroundDelivery {
    guard let store = store as? any HandoverStore else {
      throw OutboxError(
        .failed, "the outbox's store cannot hand requests over to a background session; the one on SQLite can"
      )
    }
    guard (storage.blobs as? BlobFolder)?.outbox == storage.spool.outbox else {
      throw OutboxError(
        .failed,
        "the outbox keeps its bodies in no folder in which a background session finds them; open it with a folder"
      )
    }
    if self.configuration.key != nil, !configuration.writesPlaintext {
      throw OutboxError(
        .failed,
        "the outbox has a key, and a background session reads bodies from files that are not encrypted; set "
          + "writesPlaintext to allow that")
    }
    #if canImport(Darwin)
      try FolderProtection(
        folder: storage.spool.outbox, isExcludedFromBackup: configuration.isExcludedFromBackup
      ).apply()
    #endif
    return BackgroundDelivery(self, store, session, configuration)
  }
}

extension BackgroundDelivery {
  /// Returns what to ask the system for, so that it runs the app while requests wait.
  /// - Throws: `OutboxError`.
  public func taskWish() async throws -> BackgroundTaskWish {
    let lanes = try await outbox.laneStatistics().filter { $0.counts[.stored, default: 0] > 0 }
    return BackgroundTaskWish(waiting: lanes.map { $0.lane.map(configuration.constraints) ?? .none })
  }
}
