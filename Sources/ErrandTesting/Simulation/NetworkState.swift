import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a `SimulatedNetwork` remembers. Pure: the time comes in.
struct NetworkState: Sendable {
  private struct Partition: Sendable {
    let hosts: Set<String>?
    let time: Range<Duration>
  }

  private(set) var tries: [SimulatedTry] = []
  private(set) var inFlight = 0
  private(set) var mostInFlight = 0
  private(set) var hosts: [String: HostLoad] = [:]
  private(set) var shutDown: Duration?
  private var random: SeededRandom
  private var partitions: [Partition] = []

  init(_ random: SeededRandom) { self.random = random }

  mutating func begin(
    _ request: Exchange.Request, _ conditions: NetworkConditions, at now: Duration
  ) -> (index: Int, plan: TryPlan) {
    let new = SimulatedTry(index: tries.count, request, began: now)
    tries.append(new)
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
    hosts[new.host, default: HostLoad()].begin()
    return (new.index, TryPlan(conditions, using: &random))
  }

  mutating func sent(_ index: Int, _ body: Data) { tries[index].body = body }

  mutating func seen(_ index: Int, at now: Duration) -> SimulatedTry {
    tries[index].seen = now
    return tries[index]
  }

  mutating func arrived(_ index: Int, _ answer: ResponseHead) { tries[index].answer = answer }

  /// The first end counts.
  mutating func end(_ index: Int, _ end: SimulatedTry.End, at now: Duration) {
    guard tries[index].end == nil else { return }
    tries[index].end = end
    tries[index].ended = now
    inFlight -= 1
    hosts[tries[index].host]?.end()
  }

  mutating func shutDown(at now: Duration) { shutDown = shutDown ?? now }

  mutating func part(from hosts: Set<String>?, _ time: Range<Duration>) {
    partitions.append(Partition(hosts: hosts, time: time))
  }

  /// When something arrives that leaves at `start`. What meets a partition is sent again when that is over.
  func arrival(of start: Duration, after latency: Duration, host: String) -> Duration {
    var start = start
    while let wall = partitions.first(where: { partition in
      partition.hosts?.contains(host) ?? true
        && partition.time.overlaps(start..<(start + latency + .nanoseconds(1)))
    }) {
      start = wall.time.upperBound
    }
    return start + latency
  }
}
