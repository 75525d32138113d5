#if os(Linux)
  /// The kind of a world.
  public enum WorldKind: String, CaseIterable, Sendable {
    /// A client, with all its features in memory.
    case client
    /// Several processes that share an outbox.
    case outbox

    /// The name of the requests that a report counts as callers.
    public var unit: String {
      switch self {
      case .client: "callers"
      case .outbox: "requests to store"
      }
    }

    /// Runs the world of this seed, on this thread.
    /// - Parameter isTraced: True to log all events.
    public func report(_ seed: UInt64, isTraced: Bool = false) -> WorldReport {
      switch self {
      case .client: WorldReport.world(seed, isTraced: isTraced)
      case .outbox: WorldReport.outbox(seed, isTraced: isTraced)
      }
    }
  }
#endif
