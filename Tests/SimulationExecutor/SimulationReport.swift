/// How a simulation went.
public struct SimulationReport<Value: Sendable>: Sendable {
  public enum Outcome: Sendable {
    /// The body returned this, and all that it had started came to rest.
    case finished(Value)
    /// The body waits for something that nobody will ever do.
    case stuck
    /// It did not come to rest within so many jobs.
    case endless(jobs: Int)
  }

  public let outcome: Outcome
  /// How many jobs were run.
  public let jobs: Int
  /// Stands for the order of all jobs and all times. The same seed gives the same.
  public let trace: UInt64
  /// The virtual time at its end.
  public let time: Duration

  public var value: Value? {
    if case .finished(let value) = outcome { value } else { nil }
  }
}
