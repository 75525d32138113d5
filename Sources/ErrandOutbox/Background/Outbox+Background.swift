extension Outbox {
  #if canImport(Darwin)
    /// Delivers requests while the app is asleep, too, by handing them over to a background session of the
    /// system.
    ///
    /// Nothing is handed over before the first call of `BackgroundDelivery.enterBackground` or `handleEvents`.
    /// Use one session for one folder.
    /// - Parameters:
    ///   - session: The session, created before the outbox was opened.
    ///   - configuration: The settings. Default: those of `BackgroundConfiguration()`.
    /// - Returns: The delivery, which you tell when the app goes to the background and comes back. Keep it.
    /// - Throws: `OutboxError` if the outbox is on PostgreSQL; or if it has a key, and
    ///   `configuration.writesPlaintext` is false.
    public func deliverInBackground(
      _ session: SystemBackgroundSession, configuration: BackgroundConfiguration = BackgroundConfiguration()
    ) throws -> BackgroundDelivery {
      try deliverInBackground(session as any BackgroundSession, configuration: configuration)
    }
  #endif

  /// Delivers requests through a background session, which a test may replace.
  package func deliverInBackground(
    _ session: any BackgroundSession, configuration: BackgroundConfiguration = BackgroundConfiguration()
  ) throws -> BackgroundDelivery {
    guard let store = store as? any HandoverStore else {
      throw OutboxError(
        .failed,
        "the outbox's store cannot hand requests over to a background session; use the store on SQLite"
      )
    }
    guard (storage.blobs as? BlobFolder)?.outbox == storage.spool.outbox else {
      throw OutboxError(
        .failed,
        "the outbox does not keep its bodies in a folder, from which a background session could read them; open it with a folder"
      )
    }
    if self.configuration.key != nil, !configuration.writesPlaintext {
      throw OutboxError(
        .failed,
        "the outbox has a key, but a background session reads bodies from unencrypted files; set "
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
  /// Returns the background tasks to request from the system, so that it runs the app while requests wait.
  /// - Throws: `OutboxError` if the store cannot be read.
  public func taskWish() async throws -> BackgroundTaskWish {
    let lanes = try await outbox.laneStatistics().filter { $0.counts[.stored, default: 0] > 0 }
    return BackgroundTaskWish(waiting: lanes.map { $0.lane.map(configuration.constraints) ?? .none })
  }
}
