/// What a client holds, for the benchmarks: they live in a package of their own.
@_spi(Benchmarks)
public struct ClientProbe: Sendable {
  private let pipeline: Pipeline

  public init(_ client: Client) { pipeline = client.pipeline }

  /// How many keys it knows, and the deadlines at which it forgets them.
  public var remembered: Int { pipeline.repeats.states.count }

  /// How many calls have not ended, and how many slots are taken or waited for.
  public var inFlight: Int {
    let load = pipeline.slots.load
    return pipeline.inFlight.count + load.running + load.waiting
  }
}
