/// The result of a simulation.
public struct SimulationReport<Value: Sendable>: Sendable {
  public enum Outcome: Sendable {
    /// The body returned this value, and everything that it started came to rest.
    case finished(Value)
    /// The body waits for an event that can never happen.
    case stuck
    /// The simulation did not come to rest within this number of jobs.
    case endless(jobs: Int)
  }

  public let outcome: Outcome
  /// The number of jobs that were run.
  public let jobs: Int
  /// A hash of the order of all jobs and all times. The same seed gives the same hash.
  public let trace: UInt64
  /// The virtual time at its end.
  public let time: Duration

  public var value: Value? {
    if case .finished(let value) = outcome { value } else { nil }
  }
}
