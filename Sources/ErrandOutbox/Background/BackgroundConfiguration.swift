/// How an outbox delivers while the app is asleep.
public struct BackgroundConfiguration: Sendable {
  /// The most requests that the session has at once: the system becomes slow with many. Default: 64.
  public var limit = 64
  /// Requests whose next attempt is due within this time are handed over, too, with the time before which they are not
  /// sent. Their credentials and signatures are made when they are handed over. Default: 1 h.
  public var horizon: Duration = .seconds(3600)
  /// Returns the conditions under which a lane's requests are handed over. Default: none.
  public var constraints: @Sendable (_ lane: String) -> LaneConstraints = { _ in .none }
  /// Tells whether the device is being charged. Default: never.
  public var isCharging: @Sendable () -> Bool = { false }
  /// True to hand over requests of an outbox that has a key. While the session has them, their bodies are in files
  /// that are not encrypted, because the system reads them. Default: false, and `deliverInBackground` throws.
  public var writesPlaintext = false
  /// True to exclude the outbox's folder from backups: a request in a backup is sent again by the device that it is
  /// restored to, with the same key. Apple's platforms only. Default: false.
  public var isExcludedFromBackup = false
  /// How long to wait before a request whose task is not listed counts as lost. Default: 5 s.
  public var settlesAfter: Duration = .seconds(5)

  public init() {}
}
