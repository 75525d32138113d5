/// The result of one world.
public struct WorldReport: Sendable {
  public let seed: UInt64
  public let violations: [Violation]
  public let jobs: Int
  /// A hash of the order of all events.
  public let trace: UInt64
  public let callers: Int
  public let attempts: Int
  /// The events, if the world was traced.
  public let log: [LogLine]
}
