import ErrandCore

extension RequestError {
  /// Returns the error for a stored file that cannot be sent: another attempt does not help.
  static func unreadableStoredFile(_ path: String, _ error: any Error, reachedServer: Bool) -> RequestError {
    RequestError(
      .fileUnreadable, message: "the stored file \(path) cannot be sent: \(error)",
      reachedServer: reachedServer, underlying: error)
  }
}
