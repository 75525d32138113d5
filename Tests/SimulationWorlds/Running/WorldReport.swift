/// What came out of one world.
public struct WorldReport: Sendable {
  public let seed: UInt64
  public let violations: [Violation]
  public let jobs: Int
  /// Stands for the order of everything that happened.
  public let trace: UInt64
  public let callers: Int
  public let tries: Int
  /// What happened, if it was asked for.
  public let log: [LogLine]
}
