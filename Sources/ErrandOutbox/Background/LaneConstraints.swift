/// The conditions under which a background session sends the requests of a lane. They hold for what is handed over; while
/// the app is in the foreground, the outbox sends at once.
public struct LaneConstraints: Sendable, Hashable {
  /// True for networks only that cost nothing by volume: Wi-Fi, and not a hotspot. Default: false.
  public var requiresUnmetered = false
  /// True for networks only that are not in Low Data Mode. Default: false.
  public var avoidsLowDataMode = false
  /// True for a device only that is being charged. A session knows no such condition, so nothing of the lane is handed
  /// over before the app runs on external power: see `BackgroundTaskWish`. Default: false.
  public var requiresCharging = false

  public init(
    requiresUnmetered: Bool = false, avoidsLowDataMode: Bool = false, requiresCharging: Bool = false
  ) {
    self.requiresUnmetered = requiresUnmetered
    self.avoidsLowDataMode = avoidsLowDataMode
    self.requiresCharging = requiresCharging
  }

  public static let none = LaneConstraints()

  /// What URLSession calls an expensive network.
  public var allowsExpensiveNetworkAccess: Bool { !requiresUnmetered }
  /// What URLSession calls a constrained network.
  public var allowsConstrainedNetworkAccess: Bool { !avoidsLowDataMode }

  /// True if requests of the lane may be handed over now.
  func allowsHandover(isCharging: Bool) -> Bool { isCharging || !requiresCharging }
}

/// What to ask the system for, so that it runs the app while requests wait. Pure.
public struct BackgroundTaskWish: Sendable, Hashable {
  /// True to ask for a short run soon (app refresh).
  public var refreshes = false
  /// True to ask for a long run (processing).
  public var processes = false
  /// True if the long run is of use only on external power.
  public var requiresExternalPower = false

  /// - Parameter waiting: The constraints of each request that the outbox has to send and no session has.
  public init(waiting: some Sequence<LaneConstraints>) {
    var (isAny, isCharging) = (false, false)
    for constraints in waiting {
      if constraints.requiresCharging { isCharging = true } else { isAny = true }
    }
    refreshes = isAny
    processes = isAny || isCharging
    requiresExternalPower = isCharging && !isAny
  }
}
