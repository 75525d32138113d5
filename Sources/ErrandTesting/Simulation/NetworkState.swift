import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of a `SimulatedNetwork`. Pure: the time is passed in.
struct NetworkState: Sendable {
  private struct Partition: Sendable {
    let hosts: Set<String>?
    let time: Range<Duration>
  }

  private(set) var attempts: [SimulatedAttempt] = []
  private(set) var inFlight = 0
  private(set) var mostInFlight = 0
  private(set) var hosts: [String: HostLoad] = [:]
  private(set) var shutDown: Duration?
  private var random: SeededRandom
  private var partitions: [Partition] = []

  init(_ random: SeededRandom) { self.random = random }

  mutating func begin(
    _ request: Exchange.Request, _ conditions: NetworkConditions, at now: Duration
  ) -> (index: Int, plan: AttemptPlan) {
    let new = SimulatedAttempt(index: attempts.count, request, began: now)
    attempts.append(new)
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
    hosts[new.host, default: HostLoad()].begin()
    return (new.index, AttemptPlan(conditions, using: &random))
  }

  mutating func sent(_ index: Int, _ body: Data) { attempts[index].body = body }

  mutating func seen(_ index: Int, at now: Duration) -> SimulatedAttempt {
    attempts[index].seen = now
    return attempts[index]
  }

  mutating func arrived(_ index: Int, _ response: ResponseHead) { attempts[index].response = response }

  /// Records the end of an attempt, unless it has already ended.
  mutating func end(_ index: Int, _ end: SimulatedAttempt.End, at now: Duration) {
    guard attempts[index].end == nil else { return }
    attempts[index].end = end
    attempts[index].ended = now
    inFlight -= 1
    hosts[attempts[index].host]?.end()
  }

  mutating func shutDown(at now: Duration) { shutDown = shutDown ?? now }

  mutating func part(from hosts: Set<String>?, _ time: Range<Duration>) {
    partitions.append(Partition(hosts: hosts, time: time))
  }

  /// Returns the arrival time of a message that leaves at `start`. A message that meets a partition is sent again
  /// when the partition ends.
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

/// The number of attempts to one host of a `SimulatedNetwork`.
public struct HostLoad: Sendable, Hashable {
  /// The number of attempts that are in flight.
  public private(set) var inFlight = 0
  /// The greatest number of attempts that were in flight at once.
  public private(set) var mostInFlight = 0

  mutating func begin() {
    inFlight += 1
    mostInFlight = max(mostInFlight, inFlight)
  }

  mutating func end() { inFlight -= 1 }
}
