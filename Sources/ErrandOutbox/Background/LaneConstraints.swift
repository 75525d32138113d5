/// The conditions under which a background session sends the requests of a lane. They apply to requests that
/// are handed over. While the app is in the foreground, the outbox sends at once.
public struct LaneConstraints: Sendable, Hashable {
  /// True to send only over networks that cost nothing by volume: Wi-Fi, but not a hotspot. Default: false.
  public var requiresUnmetered = false
  /// True to send only over networks that are not in Low Data Mode. Default: false.
  public var avoidsLowDataMode = false
  /// True to send only while the device is charging. A session has no such condition, so the requests of the
  /// lane are not handed over before the app runs on external power: see `BackgroundTaskWish`.
  /// Default: false.
  public var requiresCharging = false

  /// Creates conditions. By default nothing is required.
  public init(
    requiresUnmetered: Bool = false, avoidsLowDataMode: Bool = false, requiresCharging: Bool = false
  ) {
    self.requiresUnmetered = requiresUnmetered
    self.avoidsLowDataMode = avoidsLowDataMode
    self.requiresCharging = requiresCharging
  }

  /// No conditions.
  public static let none = LaneConstraints()

  /// True if the session may use a network that URLSession calls expensive.
  package var allowsExpensiveNetworkAccess: Bool { !requiresUnmetered }
  /// True if the session may use a network that URLSession calls constrained.
  package var allowsConstrainedNetworkAccess: Bool { !avoidsLowDataMode }

  /// True if requests of the lane may be handed over now.
  func allowsHandover(isCharging: Bool) -> Bool { isCharging || !requiresCharging }
}

/// The background tasks to request from the system, so that it runs the app while requests wait. Pure.
public struct BackgroundTaskWish: Sendable, Hashable {
  /// True to request a short run soon (app refresh).
  public var refreshes = false
  /// True to request a long run (processing).
  public var processes = false
  /// True if the long run is of use only on external power.
  public var requiresExternalPower = false

  /// Decides which runs are of use.
  /// - Parameter waiting: The constraints of each request that the outbox has to send and that no session
  ///   has.
  package init(waiting: some Sequence<LaneConstraints>) {
    var (isAny, isCharging) = (false, false)
    for constraints in waiting {
      if constraints.requiresCharging { isCharging = true } else { isAny = true }
    }
    refreshes = isAny
    processes = isAny || isCharging
    requiresExternalPower = isCharging && !isAny
  }
}
