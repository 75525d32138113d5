import ErrandCore

extension RequestError {
  /// What the outbox kept for a request cannot be sent: trying again does not help.
  static func unreadableStoredFile(_ path: String, _ error: any Error, reachedServer: Bool) -> RequestError {
    RequestError(
      .fileUnreadable, message: "the stored file \(path) cannot be sent: \(error)",
      reachedServer: reachedServer, underlying: error)
  }
}
