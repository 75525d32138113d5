/// The size of a client's state, for the benchmarks, which are a package of their own.
@_spi(Benchmarks)
public struct ClientProbe: Sendable {
  private let pipeline: Pipeline

  public init(_ client: Client) { pipeline = client.pipeline }

  /// The number of repeat keys that the client remembers, plus the deadlines at which it forgets them.
  public var remembered: Int { pipeline.coalescing.states.count }

  /// The number of calls that have not ended, plus the slots that are taken or waited for.
  public var inFlight: Int {
    let load = pipeline.slots.load
    return pipeline.inFlight.count + load.running + load.waiting
  }
}
