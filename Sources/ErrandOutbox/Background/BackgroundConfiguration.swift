/// The settings for delivery while the app is asleep.
public struct BackgroundConfiguration: Sendable {
  /// The most requests that the session has at once. The system becomes slow with many. Default: 64.
  public var limit = 64
  /// Requests whose next attempt is due within this time are handed over, too. The session does not send them
  /// before they are due. Their credentials and signatures are created at the handover. Default: 1 h.
  public var horizon: Duration = .seconds(3600)
  /// Returns the conditions under which a lane's requests are sent. Default: none.
  public var constraints: @Sendable (_ lane: String) -> LaneConstraints = { _ in .none }
  /// Returns true if the device is charging. Default: always false.
  public var isCharging: @Sendable () -> Bool = { false }
  /// True to hand over requests of an outbox that has a key. While the session has them, their bodies are in
  /// unencrypted files, because the system reads them. Default: false, and `deliverInBackground` throws.
  public var writesPlaintext = false
  /// True to exclude the outbox's folder from backups. Otherwise a device that is restored from a backup
  /// sends the requests in it again, with the same key. Apple's platforms only. Default: false.
  public var isExcludedFromBackup = false
  /// How long to wait before a request counts as lost because the session does not list its task. Default: 5
  /// s.
  package var settlesAfter: Duration = .seconds(5)

  /// Creates a configuration with the default values.
  public init() {}
}
