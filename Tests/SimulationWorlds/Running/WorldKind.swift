#if os(Linux)
  /// What a world is about.
  public enum WorldKind: String, CaseIterable, Sendable {
    /// A client, and everything that it does in memory.
    case client
    /// Processes that share an outbox.
    case outbox

    /// What its users ask for.
    public var unit: String {
      switch self {
      case .client: "callers"
      case .outbox: "requests to store"
      }
    }

    /// Runs the world of this seed, on this thread.
    /// - Parameter isTraced: True if everything that happens is to be told.
    public func report(_ seed: UInt64, isTraced: Bool = false) -> WorldReport {
      switch self {
      case .client: WorldReport.world(seed, isTraced: isTraced)
      case .outbox: WorldReport.outbox(seed, isTraced: isTraced)
      }
    }
  }
#endif
